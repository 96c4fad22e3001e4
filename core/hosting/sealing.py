"""(placeholder until the sealing branch is merged)"""
def prepare(): pass
def contain(): return []
def seal(*a, **k): raise NotImplementedError
def python_paths(): return []
def without_numba_cache(): pass
