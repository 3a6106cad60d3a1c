// Atomic updates of attributes, for every type and operation of the kernel language. Every function returns the
// previous value.
//
// `min`, `max`, `and` and `or` first read the old value, and skip the atomic if it would change nothing. Most updates
// change nothing, and a read is cheaper than an atomic. The value read may be stale. A stale value can cause a needless
// atomic, but never hides a necessary update.

#define GTS_ATOMIC(NAME, T, WORD, FUNCTION)                                                                      \
    __device__ __forceinline__ T gts_fetch_##NAME(T *place, T value) {                                           \
        return (T)FUNCTION((WORD *)place, (WORD)value);                                                          \
    }

#define GTS_ATOMIC_AFTER_LOOK(NAME, T, WORD, FUNCTION, CHANGES)                                                  \
    __device__ __forceinline__ T gts_fetch_##NAME(T *place, T value) {                                           \
        T old = *place;                                                                                          \
        return CHANGES ? (T)FUNCTION((WORD *)place, (WORD)value) : old;                                          \
    }

#define GTS_INTEGER_ATOMICS(T, UNSIGNED, ORDERED)                                                                \
    GTS_ATOMIC(add, T, UNSIGNED, atomicAdd)                                                                      \
    GTS_ATOMIC(xor, T, UNSIGNED, atomicXor)                                                                      \
    GTS_ATOMIC_AFTER_LOOK(min, T, ORDERED, atomicMin, value < old)                                               \
    GTS_ATOMIC_AFTER_LOOK(max, T, ORDERED, atomicMax, old < value)                                               \
    GTS_ATOMIC_AFTER_LOOK(and, T, UNSIGNED, atomicAnd, (old & value) != old)                                     \
    GTS_ATOMIC_AFTER_LOOK(or, T, UNSIGNED, atomicOr, (old | value) != old)                                       \
    __device__ __forceinline__ T gts_fetch_sub(T *place, T value) {                                              \
        return (T)atomicAdd((UNSIGNED *)place, (UNSIGNED)0 - (UNSIGNED)value);                                   \
    }                                                                                                            \
    __device__ __forceinline__ T gts_swap(T *place, T value) {                                                   \
        return (T)atomicExch((UNSIGNED *)place, (UNSIGNED)value);                                                \
    }                                                                                                            \
    __device__ __forceinline__ T gts_compare_exchange(T *place, T current, T value) {                            \
        return (T)atomicCAS((UNSIGNED *)place, (UNSIGNED)current, (UNSIGNED)value);                              \
    }

GTS_INTEGER_ATOMICS(u32, u32, u32)
GTS_INTEGER_ATOMICS(u64, u64, u64)
GTS_INTEGER_ATOMICS(i32, u32, i32)
GTS_INTEGER_ATOMICS(i64, u64, i64)

// Additions of terms below this fraction of the sum are corrected for rounding. At this limit, 2,048 terms lose at most
// 4e-5 of the sum.
#define GTS_FAR_BELOW (1.0f / 2048.0f)

// Compensates for rounding. A hub adds up many terms of similar size, each far below the sum. Rounding errs in the same
// direction for all of these terms, so the errors accumulate. Each addition therefore also adds or subtracts one unit
// in the last place, with a probability equal to the lost fraction of the unit, so that the errors cancel on average.
// The choice depends only on the bits of the operands. The native version uses the same rule.
__device__ __forceinline__ void gts_make_up(f32 *place, f32 old, f32 term) {
    f32 sum = old + term;
    f32 lost = term - (sum - old);
    u32 chance = (__float_as_uint(old) ^ __float_as_uint(term) * 0x9e3779b9u) * 0x85ebca6bu;
    chance = (chance ^ chance >> 15) * 0xc2b2ae35u;
    f32 unit = __uint_as_float(__float_as_uint(sum) & 0x7f800000u) * (1.0f / (1 << 23));
    f32 threshold = unit * ((f32)(chance >> 8) * (1.0f / (1 << 24)));
    if (::fabsf(lost) > threshold) {
        atomicAdd(place, lost > 0 ? unit : -unit);
    }
}
__device__ __forceinline__ f32 gts_add_term(f32 *place, f32 term) {
    f32 old = atomicAdd(place, term);
    if (::fabsf(term) < ::fabsf(old) * GTS_FAR_BELOW) {
        gts_make_up(place, old, term);
    }
    return old;
}
__device__ __forceinline__ f64 gts_add_term(f64 *place, f64 term) { return atomicAdd(place, term); }

// Atomics on floats. Sums use the hardware's atomics. Minima and maxima compare floats as integers: larger positive
// floats have larger bit patterns, and larger negative floats have smaller bit patterns. A NaN never replaces a number.
// If memory contains NaN, a compare-and-swap loop replaces the NaN.
#define GTS_FLOAT_ATOMICS(T, SIGNED, UNSIGNED, TO_BITS, FROM_BITS)                                               \
    __device__ __forceinline__ T gts_fetch_add(T *place, T value) { return gts_add_term(place, value); }         \
    __device__ __forceinline__ T gts_fetch_sub(T *place, T value) { return gts_add_term(place, -value); }        \
    __device__ __forceinline__ T gts_swap(T *place, T value) {                                                   \
        return FROM_BITS((SIGNED)atomicExch((UNSIGNED *)place, (UNSIGNED)TO_BITS(value)));                       \
    }                                                                                                            \
    __device__ __forceinline__ T gts_compare_exchange(T *place, T current, T value) {                            \
        return FROM_BITS(                                                                                        \
            (SIGNED)atomicCAS((UNSIGNED *)place, (UNSIGNED)TO_BITS(current), (UNSIGNED)TO_BITS(value)));         \
    }                                                                                                            \
    __device__ __noinline__ T gts_replace_nan(T *place, T value, bool smaller) {                                 \
        T old = *(volatile T *)place;                                                                            \
        while (old != old || (smaller ? gts_ordered(value) < gts_ordered(old)                                    \
                                      : gts_ordered(old) < gts_ordered(value))) {                                \
            T seen = gts_compare_exchange(place, old, value);                                                    \
            if (TO_BITS(seen) == TO_BITS(old)) {                                                                 \
                break;                                                                                           \
            }                                                                                                    \
            old = seen;                                                                                          \
        }                                                                                                        \
        return old;                                                                                              \
    }                                                                                                            \
    __device__ __forceinline__ T gts_fetch_min(T *place, T value) {                                              \
        T old = *place;                                                                                          \
        if (value != value || gts_ordered(value) >= gts_ordered(old) && old == old) {                            \
            return old;                                                                                          \
        }                                                                                                        \
        if (old != old) {                                                                                        \
            return gts_replace_nan(place, value, true);                                                          \
        }                                                                                                        \
        SIGNED bits = TO_BITS(value);                                                                            \
        return FROM_BITS(bits >= 0 ? atomicMin((SIGNED *)place, bits)                                            \
                                   : (SIGNED)atomicMax((UNSIGNED *)place, (UNSIGNED)bits));                      \
    }                                                                                                            \
    __device__ __forceinline__ T gts_fetch_max(T *place, T value) {                                              \
        T old = *place;                                                                                          \
        if (value != value || gts_ordered(value) <= gts_ordered(old) && old == old) {                            \
            return old;                                                                                          \
        }                                                                                                        \
        if (old != old) {                                                                                        \
            return gts_replace_nan(place, value, false);                                                         \
        }                                                                                                        \
        SIGNED bits = TO_BITS(value);                                                                            \
        return FROM_BITS(bits >= 0 ? atomicMax((SIGNED *)place, bits)                                            \
                                   : (SIGNED)atomicMin((UNSIGNED *)place, (UNSIGNED)bits));                      \
    }

GTS_FLOAT_ATOMICS(f32, i32, u32, __float_as_int, __int_as_float)
GTS_FLOAT_ATOMICS(f64, i64, u64, __double_as_longlong, __longlong_as_double)

// Updates a byte or half-word within the 32-bit word that contains it. `CHANGE` computes the new value from `old` and
// `value`.
#define GTS_SMALL_UPDATE(FUNCTION, T, CHANGE)                                                                    \
    __device__ __forceinline__ T FUNCTION(T *place, T value) {                                                   \
        u32 *word = (u32 *)((u64)place & ~3ull);                                                                 \
        u32 shift = 8 * (u32)((u64)place & 3);                                                                   \
        u32 mask = (sizeof(T) == 1 ? 0xffu : 0xffffu) << shift;                                                  \
        u32 seen = *word;                                                                                        \
        for (;;) {                                                                                               \
            T old = (T)((seen & mask) >> shift);                                                                 \
            u32 wanted = (seen & ~mask) | ((u32)(T)(CHANGE) << shift);                                           \
            if (wanted == seen) {                                                                                \
                return old;                                                                                      \
            }                                                                                                    \
            u32 found = atomicCAS(word, seen, wanted);                                                           \
            if (found == seen) {                                                                                 \
                return old;                                                                                      \
            }                                                                                                    \
            seen = found;                                                                                        \
        }                                                                                                        \
    }

#define GTS_SMALL_ATOMICS(T)                                                                                     \
    GTS_SMALL_UPDATE(gts_fetch_add, T, old + value)                                                              \
    GTS_SMALL_UPDATE(gts_fetch_sub, T, old - value)                                                              \
    GTS_SMALL_UPDATE(gts_fetch_min, T, value < old ? value : old)                                                \
    GTS_SMALL_UPDATE(gts_fetch_max, T, old < value ? value : old)                                                \
    GTS_SMALL_UPDATE(gts_fetch_and, T, old & value)                                                              \
    GTS_SMALL_UPDATE(gts_fetch_or, T, old | value)                                                               \
    GTS_SMALL_UPDATE(gts_fetch_xor, T, old ^ value)                                                              \
    GTS_SMALL_UPDATE(gts_swap, T, value)                                                                         \
    __device__ __forceinline__ T gts_compare_exchange(T *place, T current, T value) {                            \
        u32 *word = (u32 *)((u64)place & ~3ull);                                                                 \
        u32 shift = 8 * (u32)((u64)place & 3);                                                                   \
        u32 mask = (sizeof(T) == 1 ? 0xffu : 0xffffu) << shift;                                                  \
        u32 seen = *word;                                                                                        \
        for (;;) {                                                                                               \
            T old = (T)((seen & mask) >> shift);                                                                 \
            if (old != current) {                                                                                \
                return old;                                                                                      \
            }                                                                                                    \
            u32 found = atomicCAS(word, seen, (seen & ~mask) | ((u32)value << shift));                           \
            if (found == seen) {                                                                                 \
                return old;                                                                                      \
            }                                                                                                    \
            seen = found;                                                                                        \
        }                                                                                                        \
    }

GTS_SMALL_ATOMICS(u8)
GTS_SMALL_ATOMICS(u16)
GTS_SMALL_ATOMICS(bool)

// Additions and subtractions that report an error if GTS_CHECKS_SUMS is defined and the integer cannot hold the result.
// If the macro is GTS_WHOLE, elements hold whole values. If it is GTS_PART, elements hold this replica's part of a
// total, modulo the number of values of the type; the part began at 0. `Direction` is the direction in which the kernel
// moves the values.
#ifdef GTS_CHECKS_SUMS
template <bool Adds, u32 Direction, class T>
__device__ __forceinline__ bool gts_leaves_range(T old, T term) {
    if constexpr (Direction == GTS_MIXED && !GTS_CHECKS_MIXED) {
        return false;
    } else if constexpr (GTS_CHECKS_SUMS == GTS_WHOLE) {
        return Adds ? gts_add_overflows(old, term) : gts_sub_overflows(old, term);
    } else {
        typedef typename gts_unsigned<T>::type U;
        constexpr bool rises = Direction == GTS_UP;
        U part = (U)old;
        U magnitude = Adds == rises ? (U)term : (U)(0 - (U)term);
        return rises ? (U)(part + magnitude) < part : part != 0 && part <= magnitude;
    }
}
#endif

template <bool Adds, u32 Direction, class T, class Term>
__device__ __forceinline__ T gts_checked_sum(const gts_common &gts, const gts_place &place, u32 site, T *memory,
                                             Term given) {
    T term = (T)given;
    T old = Adds ? gts_fetch_add(memory, term) : gts_fetch_sub(memory, term);
#ifdef GTS_CHECKS_SUMS
    if (gts_leaves_range<Adds, Direction>(old, term)) {
        gts_report(gts, place, site, (i64)old);
    }
#endif
    return old;
}
