// What a plugin is to its host: the exports and imports of the wasm ABI, version 1, and the memory below the SDK.

#include "heap.h"
#include "instance.h"

#define EXPORT(name) __attribute__((export_name(name), visibility("default")))
#define IMPORT(name) __attribute__((import_module("paceline_v1"), import_name(name)))

#define PAGE ((size_t)64 << 10)
#define MAX_PAGES ((size_t)65535) // one less than can be addressed, so that no end of a block is 0

// The longest request and a little.
#define MAX_BLOCK (((size_t)64 << 20) + 4096)

IMPORT("log") void host_log(uint32_t level, const void *text, size_t len);
IMPORT("input_read") int64_t host_input_read(uint32_t input, uint64_t offset, void *to, size_t len);

extern unsigned char __heap_base;

// more gives first what is left of the memory that the module began with, then further pages.
static void *more(size_t *size)
{
	static bool began;
	size_t pages = __builtin_wasm_memory_size(0);
	if (!began) {
		began = true;
		uintptr_t start = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
		if (pages * PAGE > start + PAGE / 16) {
			*size = pages * PAGE - start;
			return (void *)start;
		}
	}
	size_t wanted = *size / PAGE + (*size % PAGE != 0);
	if (wanted > MAX_PAGES || pages > MAX_PAGES - wanted || __builtin_wasm_memory_grow(0, wanted) == (size_t)-1)
		return NULL;
	*size = wanted * PAGE;
	return (void *)(pages * PAGE);
}

static pl_heap heap = {.more = more};
static pl_instance instance;

void *pl_system_alloc(size_t size) { return pl_heap_alloc(&heap, size); }

void pl_system_free(void *block)
{
	if (!pl_heap_free(&heap, block))
		__builtin_trap();
}

void pl_system_log(uint32_t level, const char *text, size_t len) { host_log(level, text, len); }
int64_t pl_system_read(uint32_t handle, uint64_t offset, void *to, size_t len) { return host_input_read(handle, offset, to, len); }
_Noreturn void pl_system_trap(void) { __builtin_trap(); }

EXPORT("paceline_v1_alloc") uint32_t pl_export_alloc(uint32_t n)
{
	return n > MAX_BLOCK ? 0 : (uint32_t)(uintptr_t)pl_system_alloc(n);
}

EXPORT("paceline_v1_free") void pl_export_free(uint32_t ptr, uint32_t len)
{
	(void)len;
	pl_instance_free(&instance, (void *)(uintptr_t)ptr);
}

EXPORT("paceline_v1_invoke") uint64_t pl_export_invoke(uint32_t method, uint32_t ptr, uint32_t len)
{
	uint8_t *request = len == 0 ? NULL : (uint8_t *)(uintptr_t)ptr;
	if (request != NULL && !pl_heap_holds(&heap, request, len))
		pl_trap("the request is not in a block that was allocated");
	instance.plugin = pl_served();
	pl_reply reply = pl_instance_invoke(&instance, method, request, len);
	return (uint64_t)(uintptr_t)reply.ptr << 32 | reply.len;
}

// What compilers call for copies that they do not make in place. Volatile-free loops here would be turned into calls of
// themselves, so the instructions of bulk memory are named.
void *memcpy(void *restrict to, const void *restrict from, size_t n) { return __builtin_memcpy(to, from, n); }
void *memmove(void *to, const void *from, size_t n) { return __builtin_memmove(to, from, n); }
void *memset(void *to, int c, size_t n) { return __builtin_memset(to, c, n); }
