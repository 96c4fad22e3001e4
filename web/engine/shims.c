/* What the kernels need of a runtime: memory. Mathematical functions come from the C library that is linked in.

   All memory of a call is freed at once, when the next call begins: `engine_begin` goes back to the mark. What callers
   reserve for themselves (`reserve`) lies below the mark and stays. */

#include <stddef.h>
#include <stdint.h>

extern unsigned char __heap_base;
static size_t mark, top;

static void *take(size_t size) {
  if (!mark) mark = top = ((size_t)&__heap_base + 63) & ~(size_t)63;
  size_t start = (top + 63) & ~(size_t)63;
  size_t end = start + size;
  size_t pages = __builtin_wasm_memory_size(0);
  if (end < start) __builtin_trap();
  if (end > (pages << 16)) {
    size_t more = ((end + 0xFFFF) >> 16) - pages;
    if (__builtin_wasm_memory_grow(0, more) == (size_t)-1) __builtin_trap();
  }
  top = end;
  return (void *)start;
}

/* Memory that stays; call it between two calls of the engine. */
__attribute__((export_name("reserve"))) void *reserve(size_t size) {
  top = mark;
  void *found = take(size);
  mark = top;
  return found;
}


/* The header of an array in numba's runtime, as its code reads it; the data follow. */
struct meminfo {
  int64_t references;
  void *destructor, *destructor_info, *data;
  int64_t size;
  struct meminfo *next_free; /* numba's code does not read this far */
};

/* Arrays that were freed during this call: a later one of the same size gets their memory. */
static struct meminfo *freed;

void engine_begin(void) {
  top = mark;
  freed = 0;
}

void *NRT_MemInfo_alloc_aligned(int64_t size, int32_t align) {
  (void)align; /* everything is aligned to 64 bytes */
  struct meminfo *info = 0;
  for (struct meminfo **place = &freed; *place; place = &(*place)->next_free)
    if ((*place)->size == size) {
      info = *place;
      *place = info->next_free;
      break;
    }
  if (!info) {
    info = take(sizeof *info);
    info->data = take((size_t)size);
    info->size = size;
  }
  info->references = 1;
  info->destructor = info->destructor_info = 0;
  info->next_free = 0;
  return info;
}

void NRT_MemInfo_call_dtor(struct meminfo *info) {
  info->next_free = freed;
  freed = info;
}
