"""Compile the entries and the kernels they call to `web/static/engine.wasm`. This needs the extra `engine`.

    python -m sweepstakes.web.engine.build

numba translates the entries to LLVM code. llvmlite, which comes with numba, optimises that code for WebAssembly and
writes an object file. ziglang links the object file with `shims.c` and the mathematical functions of its C library.
`engine.json` records the sources and the versions that the module was built from.
"""

# mypy: allow-untyped-calls
# Numba has no types.

from __future__ import annotations

import ast
import hashlib
import inspect
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import tokenize
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sweepstakes.game.result import max_turns
from sweepstakes.game.rules import RULES
from sweepstakes.plugins.agents import exact
from sweepstakes.review import arithmetic, game_review, luck
from sweepstakes.review.judgement import LABELS, MISTAKES

STATIC = Path(__file__).parents[1] / "static"
MODULE = STATIC / "engine.wasm"
RECORD = Path(__file__).parent / "engine.json"
TRIPLE = "wasm32-unknown-unknown"
FEATURES = "+bulk-memory,+nontrapping-fptoint,+sign-ext"
MAX_BYTES = 250_000
"""The largest module that a build accepts."""
FAULT = -(1 << 31)
"""The result of an entry if a kernel raised an exception."""
MATHEMATICS = ("log", "log1p", "lgamma")
"""Functions of the C library that the module exports too, to be tested."""
HOT = ("marginals", "scan", "order", "positions")
"""Parts of names of the modules whose functions are compiled for speed; all others are compiled for size."""
PACKAGES = ("numba", "llvmlite", "ziglang")


def sources() -> list[Path]:
    """Return the files that the module is built from: this package, and the kernels of the game and of inference."""
    from sweepstakes.compiling import decorators

    own = [*sorted(Path(__file__).parent.glob("*.py")), Path(__file__).with_name("shims.c")]
    kernels = [path for path in decorators.sources() if {"game", "inference", "review"} & {*path.parts}]
    return [*kernels, Path(arithmetic.__file__), *own]


def digest_of_sources() -> str:
    """Return a hash of all sources. Comments and docstrings do not count, since they cannot change the module."""
    text = hashlib.sha256()
    for path in sources():
        content = path.read_text(encoding="utf-8")
        text.update((code_of(content) if path.suffix == ".py" else content).encode())
    for function in (max_turns, exact.opening_cell):
        text.update(code_of(inspect.getsource(function)).encode())
    text.update(choices_section())
    text.update(repr((exact.EXPERT, exact.THRESHOLD, luck.FITTED, luck.MAX_FIRST, game_review.NEAREST)).encode())
    return text.hexdigest()


def code_of(source: str) -> str:
    """Return Python source without comments, docstrings and blank lines."""
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            assert node.end_lineno is not None
            lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
    return "\n".join(line.rstrip() for line in lines if line.strip())


def choices_section() -> bytes:
    """Return the section of the module with texts: the words of each rule and the classes of decisions, by number."""
    rules = {name: rule.words for name, rule in RULES.items() if rule.kind == "word"}
    words = json.dumps(rules | {"label": LABELS, "mistakes": MISTAKES}).encode()
    content = bytes([len("rules")]) + b"rules" + words
    size = len(content)
    return bytes([0, size & 0x7F | 0x80, size >> 7]) + content  # a custom section, with its size in LEB128


def build(target: Path) -> None:
    """Write the module to `target`."""
    with tempfile.TemporaryDirectory() as folder:
        kernels = Path(folder, "kernels.o")
        kernels.write_bytes(_object())
        exports = [f"-Wl,--export={name}" for name in MATHEMATICS]
        options = ["-target", "wasm32-wasi", "-mcpu=generic+bulk_memory+nontrapping_fptoint+sign_ext", "-O2", "-s"]
        linking = ["-mexec-model=reactor", *exports]
        command = [sys.executable, "-m", "ziglang", "cc", *options, *linking]
        shims = Path(__file__).with_name("shims.c")
        subprocess.run([*command, str(shims), str(kernels), "-o", str(target)], check=True)
    target.write_bytes(target.read_bytes() + choices_section())
    if target.stat().st_size > MAX_BYTES:
        raise SystemExit(f"{target} has {target.stat().st_size:,} bytes: expected at most {MAX_BYTES:,}")


def record() -> dict[str, Any]:
    """Return the content of `engine.json`: hashes of the sources and the module, and the versions used to build it."""
    return {
        "sources": digest_of_sources(),
        "module": hashlib.sha256(MODULE.read_bytes()).hexdigest(),
        "built_with": {name: version(name) for name in PACKAGES},
    }


def _object() -> bytes:
    """Compile all entries to one object file and return its content."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(opt=3, features=FEATURES)
    module = None
    for name, library, mangled, letters in _compiled():
        text = _retargeted(library, str(machine.target_data))
        text += _wrapper(name, mangled, letters)
        part = llvm.parse_assembly(text)
        for function in part.functions:
            if not function.is_declaration and function.name != f"engine_{name}":
                function.linkage = "linkonce_odr"
        if module is None:
            module = part
        else:
            module.link_in(part)
    assert module is not None
    for function in module.functions:
        if not function.is_declaration and not function.name.startswith("engine_"):
            function.linkage = "internal"
        if not function.is_declaration and not any(name in function.name for name in HOT):
            function.add_function_attribute("optsize")
    module.verify()
    options = llvm.create_pipeline_tuning_options(3)
    options.loop_vectorization = options.slp_vectorization = False
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return bytes(machine.emit_object(module))


def _compiled() -> list[tuple[str, str, str, str]]:
    """Return (name, LLVM code of its library, its name in that code, letters of its arguments) for each entry."""
    os.environ["NUMBA_OPT"] = "0"  # otherwise numba optimises for this machine, with 64-bit pointers
    from numba import types

    from sweepstakes.web.engine.entries import ENTRIES

    kinds = {
        "i": types.int64,
        "d": types.float64,
        "b": types.CPointer(types.int8),
        "w": types.CPointer(types.int32),
        "q": types.CPointer(types.int64),
        "r": types.CPointer(types.float64),
    }
    found = []
    for name, (entry, letters) in ENTRIES.items():
        entry.compile(tuple(kinds[letter] for letter in letters))
        (compiled,) = entry.overloads.values()
        returned = compiled.signature.return_type
        if not isinstance(returned, types.Integer | types.Boolean):
            raise TypeError(f"{name} returns {returned}, not an integer")
        found.append((name, compiled.library.get_llvm_str(), compiled.fndesc.llvm_func_name, letters))
    return found


def _retargeted(code: str, layout: str) -> str:
    """Change LLVM code that was made for this machine so that it can be compiled for WebAssembly."""
    code = re.sub(r'^target triple = ".*"$', f'target triple = "{TRIPLE}"', code, flags=re.M)
    code = re.sub(r'^target datalayout = ".*"$', f'target datalayout = "{layout}"', code, flags=re.M)
    code = re.sub(r'"target-(?:cpu|features)"="[^"]*"', "", code)
    code = re.sub(r"^(@\S*NumbaEnv\S* = )common ", r"\1internal ", code, flags=re.M)
    return re.sub(r"^(@\S+ = )common ", r"\1linkonce_odr ", code, flags=re.M)


def _wrapper(name: str, mangled: str, letters: str) -> str:
    """Return LLVM code of a function of 32-bit integers, doubles and addresses that calls an entry as numba does."""
    types = {"i": "i32", "d": "double"}
    passed = {"i": "i64", "d": "double"}
    arguments = ", ".join(f"{types.get(letter, 'ptr')} %a{k}" for k, letter in enumerate(letters))
    widened = "".join(f"  %w{k} = sext i32 %a{k} to i64\n" for k, letter in enumerate(letters) if letter == "i")
    given = ", ".join(
        f"{passed.get(letter, 'ptr')} %{'w' if letter == 'i' else 'a'}{k}" for k, letter in enumerate(letters)
    )
    quoted = f'@"{mangled}"' if not re.fullmatch(r"[\w.$]+", mangled) else f"@{mangled}"
    return f"""
declare void @engine_begin()
define i32 @engine_{name}({arguments}) "wasm-export-name"="{name}" {{
  call void @engine_begin()
  %returned = alloca i64
  %raised = alloca ptr
  store i64 0, ptr %returned
{widened}  %status = call i32 {quoted}(ptr %returned, ptr %raised, {given})
  %value = load i64, ptr %returned
  %short = trunc i64 %value to i32
  %fine = icmp eq i32 %status, 0
  %answer = select i1 %fine, i32 %short, i32 {FAULT}
  ret i32 %answer
}}
"""


def main() -> None:
    """Write the module and its record."""
    build(MODULE)
    RECORD.write_text(json.dumps(record(), indent=2) + "\n", encoding="utf-8")
    print(f"{MODULE}: {MODULE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
