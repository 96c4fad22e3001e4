"""The actions of hostile agents and programs in tests/test_hostile_agents.py, as source code by name."""

from __future__ import annotations

AGENT = """
import atexit, ctypes, faulthandler, gc, os, pickle, resource, select, signal, socket, struct, sys, tempfile, threading
import time, types, weakref
import numpy as np
from sweepstakes import Agent, Cell, Turn, hookimpl

HOURS = 10_000


class Deed(Agent):
    def __init__(self, before: str = "", first: str = "", later: str = ""):
        self.first, self.later, self.turns = first, later, 0
        exec(before, globals() | {"self": self})

    def act(self, view):
        self.turns += 1
        cells = view.covered()
        scope = globals() | {"self": self, "view": view, "answer": Turn(open=(cells[self.rng.below(len(cells))],))}
        exec(self.first if self.turns == 1 else self.later, scope)
        return scope["answer"]


@hookimpl
def sweepstakes_agents():
    return {"deed": Deed}
"""
"""The agent. It opens random cells, and runs `before` in its constructor, `first` and `later` in its turns."""

LIBC = "libc = ctypes.CDLL(None, use_errno=True)\n"
MATES = (
    "mates = [os.getppid()]\nfor pid in filter(str.isdigit, os.listdir('/proc')):\n    try:\n"
    "        if open(f'/proc/{pid}/stat').read().rpartition(')')[2].split()[1] == str(os.getppid()):\n"
    "            mates.append(int(pid))\n    except OSError: pass\nmates.remove(os.getpid())\n"
)
"""Finds the server that forked this process, and its other processes."""

HARMLESS = {
    "trace_every_line": "sys.settrace(lambda *_: None)",
    "profile_by_raising": "sys.setprofile(lambda frame, event, arg: None)",
    "turn_the_collector_off": "gc.disable(); gc.set_threshold(1)",
    "resurrect_itself": "class R:\n    def __del__(self): globals()['kept'] = self\n"
    "r = R(); r.me = r; del r; gc.collect()",
    "raise_when_deleted": "class D:\n    def __del__(self): raise SystemExit\nD()",
    "exit_handlers": "atexit.register(time.sleep, HOURS); atexit.register(os._exit, 0)",
    "lower_the_recursion_limit": "sys.setrecursionlimit(200)",
    "unload_everything": "[sys.modules.pop(name) for name in list(sys.modules) if name.startswith('sweepstakes.')]",
    "replace_builtins": "import builtins; builtins.len = lambda _: 0; builtins.isinstance = lambda *_: True",
    "replace_the_standard_files": "sys.stdin = sys.stdout = sys.stderr = None",
    "replace_print": "sys.stdout = types.SimpleNamespace(write=1 .__add__, flush=lambda: time.sleep(HOURS))",
    "write_to_closed_input": "os.close(0)",
    "write_half_utf8": "os.write(1, b'\\xf0\\x9f'); os.write(2, b'\\x00\\xff\\x1b[31m')",
    "ignore_every_signal": "[signal.signal(n, signal.SIG_IGN) for n in range(1, 30) if n not in (9, 19)]",
    "set_an_alarm_that_is_handled": "signal.signal(signal.SIGALRM, lambda *_: None); signal.setitimer(0, 0.001, 0.001)",
    "become_a_session_leader": "\ntry: os.setsid()\nexcept OSError: pass",
    "own_process_group": "\ntry: os.setpgid(0, 0)\nexcept OSError: pass",
    "umask_and_folder": "os.umask(0o777); os.chdir('/')",
    "raise_limits": "\ntry: resource.setrlimit(resource.RLIMIT_DATA, (-1, -1))\nexcept (OSError, ValueError): pass",
    "patch_the_turn": "import sweepstakes.game.turn as t; t.Turn.__new__ = lambda *_: 1 / 0",
    "patch_the_frames": "import sweepstakes.hosting.frames as f; f.MAX_JSON = f.HEAD = 1 << 60",
    "patch_the_probability": "from sweepstakes.game import result; result.max_cells_in_turn = lambda _: 1 << 60",
    "end_threads_late": "threading.Thread(target=lambda: time.sleep(0.2), daemon=False).start()",
    "hold_the_interpreter": "sys.setswitchinterval(100)",
    "listen_to_audits": "sys.addaudithook(lambda event, _: None)",
    "import_hooks": "sys.meta_path.insert(0, types.SimpleNamespace(find_spec=lambda *_: None))",
    "dump_on_crash": "faulthandler.enable(open(os.devnull, 'w'))",
    "socket_pairs": "globals()['pairs'] = [socket.socketpair() for _ in range(20)]",
    "unnamed_memory": "m = os.memfd_create('x'); os.truncate(m, 1 << 20); os.close(m)",
    "pickle_bomb": "class P:\n    __reduce__ = lambda self: (os._exit, (3,))\nview = self.kept = P()",
    "many_open_files": "self.kept = []\n"
    "try:\n"
    "    while True: self.kept.append(os.open(os.devnull, 0))\n"
    "except OSError: pass",
    "no_files_allowed": "resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))",
    "lie_about_the_size": "import gc\n"
    "host = next(o for o in gc.get_objects() if type(o).__name__ == '_Host')\n"
    "from sweepstakes import Size\n"
    "for k, (c, s, m) in list(host._games.items()): host._games[k] = (c, Size(900, 900, 5), 1 << 40)",
    "prctl_death_signal": LIBC + "libc.prctl(1, 0); libc.prctl(36, 1); libc.prctl(4, 1)",
    "limits_of_mates": MATES + "for p in mates:\n"
    "    for limit in (0, 1, 7):\n"
    "        try: resource.prlimit(p, limit, (1, 1))\n"
    "        except Exception: pass",
    "pidfd_signals": LIBC + MATES + "for p in mates:\n"
    "    fd = libc.syscall(434, p, 0); libc.syscall(424, fd, 9, 0, 0); libc.syscall(438, fd, 3, 0); "
    "libc.syscall(234, p, p, 9); libc.syscall(200, p, 19); libc.syscall(129, p, 9, 0)",
    "async_owner": MATES + "import fcntl\n"
    "for p in mates:\n"
    "    try:\n"
    "        r, w = os.pipe(); fcntl.fcntl(r, 10, 9); fcntl.fcntl(r, fcntl.F_SETOWN, p); fcntl.fcntl(r, "
    "fcntl.F_SETFL, os.O_ASYNC); os.write(w, b'x')\n"
    "    except OSError: pass",
    "write_into_mates": MATES + "for p in mates:\n"
    "    for name in ('mem', 'oom_score_adj', 'clear_refs', 'comm', 'coredump_filter', 'timerslack_ns'):\n"
    "        try:\n"
    "            with open(f'/proc/{p}/{name}', 'r+b', 0) as f: f.write(b'1000')\n"
    "        except Exception: pass",
    "namespaces": LIBC + "libc.unshare(0x10000000); libc.unshare(0x20000000); libc.unshare(0x00020000)",
    "stop_and_go_child": "\n"
    "try:\n"
    "    if not os.fork():\n"
    "        for _ in range(50): os.kill(os.getppid(), 19); time.sleep(0.001); os.kill(os.getppid(), 18)\n"
    "        os._exit(0)\n"
    "except OSError: pass",
    "collect_by_raising": "gc.callbacks.append(lambda *_: 1 / 0)",
    "replace_stdout_by_a_raiser": "class W:\n"
    "    def write(self, x): raise SystemExit\n"
    "    def flush(self): raise SystemExit\n"
    "sys.stdout = sys.stderr = W()",
}
"""Run in the first turn. They change neither this game nor any other."""

FAULTS = {
    "first": {
        "lie_about_the_length": "class L(list):\n    __len__ = lambda self: 1 << 62\n"
        "answer = Turn(open=L([(0, 0)] * 3))",
        "endless_tuple": "class T(tuple):\n    def __iter__(self):\n        while True: yield (0, 0)\n"
        "answer = Turn(open=T())",
        "int_that_lies": "class I(int):\n    __index__ = lambda self: 1 / 0\n    __eq__ = lambda *_: True\n"
        "    __hash__ = None\nanswer = Turn(open=[(I(99), I(99))])",
        "text_that_lies": "class S(str):\n    __eq__ = lambda *_: True\n    __hash__ = lambda _: hash('proof')\n"
        "answer = Turn(open=[(0, 0)], why=S('luck'))",
        "float_that_lies": "class F(float):\n    __le__ = __ge__ = __eq__ = lambda *_: True\n"
        "answer = Turn(open=[(0, 0)], probability=F(7))",
        "not_a_number": "answer = Turn(open=[(0, 0)], probability=float('nan'))",
        "a_view": "answer = view",
        "a_turn_that_changes": "cells = [(0, 0)]; answer = Turn(open=cells)\n"
        "threading.Thread(target=lambda: [cells.append((9, 9)) for _ in range(10**5)], daemon=True).start()",
        "an_array_that_changes": "a = np.full(10**5, 99, np.int64); answer = Turn(open=a)\n"
        "threading.Thread(target=lambda: [a.fill(i) for i in range(10**4)], daemon=True).start()",
        "bytes_for_cells": "answer = Turn(open=b'ab', flag=bytearray(3))",
        "a_million_cells": "answer = Turn(open=[(r, c) for r in range(1000) for c in range(1000)])",
        "a_large_number": "answer = Turn(open=[(10**5000, -10**5000)])",
        "evidence_in_circles": "e = {}; e[Cell(0, 0)] = [e]; answer = Turn(open=[(0, 0)], evidence=e)",
        "evidence_that_lies": "class E(dict):\n    items = lambda self: iter(lambda: ((0, 0), [(0, 0)]), None)\n"
        "answer = Turn(open=[(0, 0)], evidence=E())",
        "kill_itself": "os.kill(os.getpid(), signal.SIGKILL)",
        "read_nowhere": "ctypes.string_at(0)",
        "jump_nowhere": "ctypes.CFUNCTYPE(None)(1)()",
        "corrupt_the_heap": "ctypes.memset(id(sys.modules), 0xFF, 4096)",
        "free_none": "ctypes.memset(id(None), 0, 8)",
        "exit_in_a_thread": "t = threading.Thread(target=os._exit, args=(0,)); t.start(); t.join()",
        "lose_every_file": "os.closerange(0, 1 << 12)",
        "swap_every_file": "null = os.open(os.devnull, os.O_RDWR); [os.dup2(null, n) for n in range(1, 300)]",
        "fill_the_pipe": "while True:\n    for n in range(190, 260):\n        try: os.write(n, bytes(65536))\n"
        "        except OSError: pass",
        "one_byte_at_a_time": "while True:\n    for n in range(190, 260):\n        try: os.write(n, b'\\x40')\n"
        "        except OSError: pass\n    time.sleep(0.001)",
        "replace_itself": "os.execv(sys.executable, [sys.executable, '-c', 'import time; time.sleep(10000)'])",
        "replace_itself_by_an_echo": "os.execv('/bin/cat', ['cat'])",
        "trap_in_a_thread": "signal.pthread_sigmask(0, range(1, 30)); time.sleep(HOURS)",
        "deadlock": "lock = threading.Lock(); lock.acquire(); lock.acquire()",
        "never_return_from_c": "ctypes.PyDLL(None).pause()",
        "raise_a_traceback_of_traps": "class B(BaseException):\n"
        "    __str__ = __repr__ = lambda self: time.sleep(HOURS)\n"
        "    __traceback__ = property(lambda self: time.sleep(HOURS))\nraise B",
        "raise_many_causes": "e = None\nfor _ in range(10**5):\n    n = ValueError(); n.__cause__ = e; e = n\nraise e",
        "raise_a_group": "raise BaseExceptionGroup('x' * 10**6, [KeyboardInterrupt(), SystemExit()] * 10**4)",
        "raise_stop": "raise StopIteration(view)",
        "generator_exit": "raise GeneratorExit",
        "collect_without_end": "gc.callbacks.append(lambda *_: time.sleep(HOURS)); gc.collect()",
        "compile_without_end": "compile('(' * 90 + '0' + ')' * 90, '', 'eval'); eval('2**' * 30 + '2')",
        "match_without_end": "import re; re.match(r'(a+)+$', 'a' * 60 + 'b')",
        "allocate_by_steps": "kept = []\nwhile True: kept.append(np.ones(1 << 17))",
        "grow_the_stack": "threading.stack_size(1 << 29)\n"
        "t = threading.Thread(target=lambda: None); t.start(); t.join()\n"
        "def f(): return f()\nsys.setrecursionlimit(10**9); f()",
        "trace_by_raising": "sys.settrace(lambda *_: 1 / 0); sys._getframe(1).f_trace = lambda *_: 1 / 0",
        "trace_frames_of_the_host": "def t(frame, event, arg):\n"
        "    if 'hosting' in frame.f_code.co_filename and event == 'return': raise SystemExit\n"
        "    return t\n"
        "f = sys._getframe()\n"
        "while f: f.f_trace = t; f = f.f_back\n"
        "sys.settrace(t)",
        "timer_that_raises": "def h(*_): raise MemoryError\n"
        "signal.signal(signal.SIGALRM, h); signal.setitimer(0, 0.0005, 0.0005)",
        "async_exception": "import _thread\n"
        "me = threading.get_ident()\n"
        "def go():\n"
        "    while True: ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(me), "
        "ctypes.py_object(SystemExit)); time.sleep(0.0001)\n"
        "threading.Thread(target=go, daemon=True).start()",
        "forge_the_next_answer": "from sweepstakes.hosting import frames\n"
        "def go():\n"
        "    for n in range(60):\n"
        "        for fd in range(190, 260):\n"
        "            try: os.write(fd, frames.done_frame(n))\n"
        "            except OSError: pass\n"
        "threading.Thread(target=go, daemon=True).start()",
        "forge_a_fault_of_another_kind": "import json\n"
        "b = json.dumps(['FORFEIT', 'x', '', '']).encode()\n"
        "for fd in range(190, 260):\n"
        "    for n in range(9):\n"
        "        try: os.write(fd, struct.pack('<IcI', 5 + len(b), b'F', n) + b)\n"
        "        except OSError: pass",
        "forge_deep_json": "b = b'[' * 100000 + b']' * 100000\n"
        "for fd in range(190, 260):\n"
        "    for n in range(9):\n"
        "        try: os.write(fd, struct.pack('<IcI', 5 + len(b), b'F', n) + b)\n"
        "        except OSError: pass",
        "steal_questions": "def go():\n"
        "    while True:\n"
        "        for n in range(190, 260):\n"
        "            try: os.set_blocking(n, False); os.read(n, 65536)\n"
        "            except OSError: pass\n"
        "threading.Thread(target=go, daemon=True).start()",
        "children_of_the_server": "libc = ctypes.CDLL(None)\n"
        "for _ in range(30):\n"
        "    if libc.syscall(56, 0x8000 | 17, 0, 0, 0, 0) == 0:\n"
        "        time.sleep(HOURS); os._exit(0)",
        "a_fork_answers": "if os.fork(): time.sleep(HOURS)",
        "turn_subclass": "class T(Turn):\n"
        "    open = property(lambda self: [(99, 99)]); __iter__ = lambda self: iter(()); __len__ = "
        "lambda self: 7\n"
        "answer = T(open=[(0, 0)])",
        "array_with_a_lying_buffer": "class A(np.ndarray):\n"
        "    tobytes = lambda self, *_: bytes(10**7)\n"
        "    dtype = property(lambda self: np.dtype(np.int64))\n"
        "answer = Turn(open=np.zeros(1, np.int64).view(A))",
        "array_of_strides": "one = np.zeros(1, np.int64)\n"
        "answer = Turn(open=np.lib.stride_tricks.as_strided(one, (10**8,), (0,)))",
        "raise_our_own_faults": "from sweepstakes.game.faults import AgentFault, Fault, FaultKind\n"
        "raise AgentFault(Fault(FaultKind.FORFEIT, '5', 'x' * 10**5))",
        "raise_a_hosting_error": "from sweepstakes.errors import HostingError, ServerGoneError\nraise ServerGoneError",
        "stop_its_group": "os.killpg(0, signal.SIGSTOP)",
        "kill_its_group": "os.killpg(0, signal.SIGKILL)",
        "invalid_instruction": "import mmap\n"
        "m = mmap.mmap(-1, 4096, prot=7); m.write(b'\\x0f\\x0b'); "
        "ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(m)))()",
    },
    "before": {
        "exit_while_made": "raise SystemExit(0)",
        "sleep_while_made": "time.sleep(HOURS)",
        "lose_its_files_while_made": "os.closerange(0, 1 << 12)",
        "write_an_answer_while_made": "[os.write(n, struct.pack('<IcI', 5, b'D', 1)) for n in range(190, 260)"
        " if os.path.exists(f'/proc/self/fd/{n}')]; time.sleep(HOURS)",
        "print_without_end_while_made": "while True: os.write(2, bytes(1 << 16))",
        "answer_twice_while_made": "from sweepstakes.hosting import frames\n"
        "for fd in range(190, 260):\n"
        "    for n in range(6):\n"
        "        try: os.write(fd, frames.done_frame(n) * 2)\n"
        "        except OSError: pass",
        "fork_while_made": "os.fork()",
        "stop_while_made": "os.kill(os.getpid(), signal.SIGSTOP)",
    },
}
"""Each ends its own game by a fault or does not change it. Run in the first turn, or while the agent is created."""

PROGRAM = """import os, random, signal, socket, sys, threading, time
def say(text):
    data = text if isinstance(text, bytes) else text.encode()
    while data:
        data = data[os.write(1, data):]
{before}
for line in sys.stdin:
    word = line.split()[0]
    if word == "sweepstakes":
        {ready}
    elif word == "game":
        pass; {game}
    elif word in ("turn", "change"):
        first = line.split()[1].find(".") if word == "turn" else 0
        {answer}
    elif word == "end":
        pass; {end}
"""
GOOD_READY, GOOD_ANSWER = "say('ready name=p version=1\\n')", "say(f'open {first}\\n')"
PROGRAMS = {
    "ready_twice": {"ready": "say('ready name=p version=1\\n' * 2)"},
    "ready_with_a_thousand_options": {
        "ready": "say('ready name=p version=1' + ''.join(f' option=o{i}:int:1' for i in range(1000)) + '\\n')"
    },
    "ready_for_ever": {"ready": "[say('ready ') for _ in iter(int, 1)]"},
    "ready_with_an_odd_name": {"ready": "say(b'ready name=../../x\\x00 version=\\xff\\n')"},
    "answers_the_game_line": {"game": "say('open 0\\n')"},
    "answers_by_carriage_returns": {"answer": "say(b'open 0\\r' * 1000)"},
    "half_a_line_then_the_end": {"answer": "say('open'); sys.exit(0)"},
    "negative_cells": {"answer": "say('open -1 -999999999999999999\\n')"},
    "many_cells": {"answer": "say('open ' + '0 ' * 100_000 + '\\n')"},
    "many_spaces": {"answer": "say(' ' * 50_000 + 'open 0\\n')"},
    "many_equal_signs": {"answer": "say('open 0 ' + 'a=b ' * 1000 + '=' * 500 + '\\n')"},
    "says_it_has_won": {"answer": "say('end won\\nopen 0\\n')"},
    "reads_nothing": {"before": "say('ready name=p version=1\\n'); time.sleep(10000)"},
    "one_byte_a_second": {"answer": "[(say('0'), time.sleep(0.2)) for _ in iter(int, 1)]"},
    "closes_its_input": {"answer": "say(f'open {first}\\n'); os.close(0)"},
    "stops_itself": {"answer": "os.kill(os.getpid(), signal.SIGSTOP)"},
    "dies_at_the_end": {"end": "os._exit(9)"},
    "hangs_at_the_end": {"end": "time.sleep(10000)"},
    "floods_at_the_end": {"end": "[say('open 0\\n') for _ in iter(int, 1)]"},
    "answers_in_a_thread": {
        "answer": "threading.Thread(target=lambda: (time.sleep(0.05), say('open 0\\n' * 3))).start()"
    },
    "floods_standard_error": {
        "before": "threading.Thread(target=lambda: [os.write(2, b'x' * 65536) for _ in iter(int, 1)],"
        " daemon=True).start()"
    },
    "a_child_answers": {"answer": "os.fork() or (say(f'open {first}\\n'), os._exit(0))"},
    "a_child_keeps_the_pipes": {"answer": "os.fork() or time.sleep(10000); os._exit(0)"},
    "ready_in_utf16": {"ready": "say('ready name=p version=1\\n'.encode('utf-16'))"},
    "ready_with_reserved_option": {"ready": "say('ready name=p version=1 option=agent:text:x option=files:text:y\\n')"},
    "becomes_a_shell": {
        "answer": "os.execv('/bin/sh', ['sh', '-c', 'while read l; do echo open 0; done; sleep 10000'])"
    },
    "passes_its_pipes_on": {
        "answer": "os.fork() or os.execv('/bin/sleep', ['sleep', '10000']); say(f'open {first}\\n')"
    },
    "forks_and_both_answer": {"answer": "os.fork(); say(f'open {first}\\n')"},
    "names_every_cell_again": {"answer": "say('open ' + ' '.join(str(i % 16) for i in range(2000)) + '\\n')"},
    "removes_its_file": {"answer": "os.path.exists(__file__) and os.remove(__file__); say(f'open {first}\\n')"},
    "kills_its_mates": {
        "answer": "[os.kill(os.getppid() + n, 9) for n in range(9) if n + os.getppid() != os.getpid()]"
    },
}
