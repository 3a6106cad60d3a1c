// Operations of the kernel language that C++ lacks or defines differently. Results equal Rust's on every device. Float
// results are rounded according to IEEE 754, because the program is compiled without contraction.

// Wrapping arithmetic.
#define GTS_WRAPPING(T, U)                                                                                       \
    __device__ __forceinline__ T gts_add(T a, T b) { return (T)((U)a + (U)b); }                                  \
    __device__ __forceinline__ T gts_sub(T a, T b) { return (T)((U)a - (U)b); }                                  \
    __device__ __forceinline__ T gts_mul(T a, T b) { return (T)((U)a * (U)b); }                                  \
    __device__ __forceinline__ T gts_neg(T a) { return (T)(0 - (U)a); }

GTS_WRAPPING(u8, u32)
GTS_WRAPPING(u16, u32)
GTS_WRAPPING(u32, u32)
GTS_WRAPPING(u64, u64)
GTS_WRAPPING(i32, u32)
GTS_WRAPPING(i64, u64)

// Arithmetic that saturates at the limits of the type.
#define GTS_SATURATING_UNSIGNED(T, LARGEST, PRODUCT_FITS)                                                        \
    __device__ __forceinline__ T gts_saturating_add(T a, T b) { return (T)(a + b) < a ? LARGEST : (T)(a + b); }  \
    __device__ __forceinline__ T gts_saturating_sub(T a, T b) { return a < b ? (T)0 : (T)(a - b); }              \
    __device__ __forceinline__ T gts_saturating_mul(T a, T b) {                                                  \
        return PRODUCT_FITS ? gts_mul(a, b) : LARGEST;                                                           \
    }

GTS_SATURATING_UNSIGNED(u8, (u8)0xff, (u32)a * (u32)b <= 0xffu)
GTS_SATURATING_UNSIGNED(u16, (u16)0xffff, (u32)a * (u32)b <= 0xffffu)
GTS_SATURATING_UNSIGNED(u32, 0xffffffffu, __umulhi(a, b) == 0)
GTS_SATURATING_UNSIGNED(u64, 0xffffffffffffffffull, __umul64hi(a, b) == 0)

#define GTS_SATURATING_SIGNED(T, SMALLEST, LARGEST, HIGH)                                                        \
    __device__ __forceinline__ T gts_saturating_add(T a, T b) {                                                  \
        T sum = gts_add(a, b);                                                                                   \
        return ((a ^ sum) & (b ^ sum)) >= 0 ? sum : a < 0 ? SMALLEST : LARGEST;                                  \
    }                                                                                                            \
    __device__ __forceinline__ T gts_saturating_sub(T a, T b) {                                                  \
        T difference = gts_sub(a, b);                                                                            \
        return ((a ^ b) & (a ^ difference)) >= 0 ? difference : a < 0 ? SMALLEST : LARGEST;                      \
    }                                                                                                            \
    __device__ __forceinline__ T gts_saturating_mul(T a, T b) {                                                  \
        T product = gts_mul(a, b);                                                                               \
        return HIGH(a, b) == (product < 0 ? -1 : 0) ? product : (a < 0) != (b < 0) ? SMALLEST : LARGEST;         \
    }

GTS_SATURATING_SIGNED(i32, (i32)0x80000000u, 0x7fffffff, __mulhi)
GTS_SATURATING_SIGNED(i64, (i64)0x8000000000000000ull, 0x7fffffffffffffffll, __mul64hi)

// Floats saturate at infinity by themselves.
#define GTS_SATURATING_FLOAT(F)                                                                                  \
    __device__ __forceinline__ F gts_saturating_add(F a, F b) { return a + b; }                                  \
    __device__ __forceinline__ F gts_saturating_sub(F a, F b) { return a - b; }                                  \
    __device__ __forceinline__ F gts_saturating_mul(F a, F b) { return a * b; }

GTS_SATURATING_FLOAT(f32)
GTS_SATURATING_FLOAT(f64)

__device__ __forceinline__ i32 gts_abs(i32 a) { return a < 0 ? gts_neg(a) : a; }
__device__ __forceinline__ i64 gts_abs(i64 a) { return a < 0 ? gts_neg(a) : a; }

// Bit counts of integers. Signed types are treated as unsigned.
#define GTS_BITS(T, U, ONES, ZEROS)                                                                              \
    __device__ __forceinline__ u32 gts_count_ones(T a) { return ONES((U)a); }                                    \
    __device__ __forceinline__ u32 gts_leading_zeros(T a) { return ZEROS((U)a) - 8 * (sizeof(U) - sizeof(T)); }  \
    __device__ __forceinline__ u32 gts_trailing_zeros(T a) {                                                     \
        return a == 0 ? 8 * sizeof(T) : ZEROS((U)a & (U)(0 - (U)a)) ^ (8 * sizeof(U) - 1);                       \
    }

GTS_BITS(u8, u32, __popc, __clz)
GTS_BITS(u16, u32, __popc, __clz)
GTS_BITS(u32, u32, __popc, __clz)
GTS_BITS(i32, u32, __popc, __clz)
GTS_BITS(u64, u64, __popcll, __clzll)
GTS_BITS(i64, u64, __popcll, __clzll)

// Shifts. The amount is reduced modulo the type's width in bits.
#define GTS_SHIFTS(T, U)                                                                                         \
    __device__ __forceinline__ T gts_shl(T a, u32 amount) { return (T)((U)a << (amount % (8 * sizeof(T)))); }    \
    __device__ __forceinline__ T gts_shr(T a, u32 amount) { return (T)(a >> (amount % (8 * sizeof(T)))); }

GTS_SHIFTS(u8, u32)
GTS_SHIFTS(u16, u32)
GTS_SHIFTS(u32, u32)
GTS_SHIFTS(u64, u64)
GTS_SHIFTS(i32, u32)
GTS_SHIFTS(i64, u64)

// Whether an operation faults. Each condition is one comparison, or a few instructions for signed types.
#define GTS_UNSIGNED_FAULTS(T, PRODUCT_FITS)                                                                     \
    __device__ __forceinline__ bool gts_add_overflows(T a, T b) { return gts_add(a, b) < a; }                    \
    __device__ __forceinline__ bool gts_sub_overflows(T a, T b) { return a < b; }                                \
    __device__ __forceinline__ bool gts_mul_overflows(T a, T b) { return !(PRODUCT_FITS); }                      \
    __device__ __forceinline__ bool gts_div_faults(T, T b) { return b == 0; }

#define GTS_SIGNED_FAULTS(T, SMALLEST, HIGH)                                                                     \
    __device__ __forceinline__ bool gts_add_overflows(T a, T b) {                                                \
        T sum = gts_add(a, b);                                                                                   \
        return ((a ^ sum) & (b ^ sum)) < 0;                                                                      \
    }                                                                                                            \
    __device__ __forceinline__ bool gts_sub_overflows(T a, T b) {                                                \
        return ((a ^ b) & (a ^ gts_sub(a, b))) < 0;                                                              \
    }                                                                                                            \
    __device__ __forceinline__ bool gts_mul_overflows(T a, T b) {                                                \
        return HIGH(a, b) != (gts_mul(a, b) < 0 ? -1 : 0);                                                       \
    }                                                                                                            \
    __device__ __forceinline__ bool gts_div_faults(T a, T b) { return b == 0 || (a == SMALLEST && b == -1); }    \
    __device__ __forceinline__ bool gts_is_smallest(T a) { return a == SMALLEST; }

GTS_UNSIGNED_FAULTS(u8, (u32)a * (u32)b <= 0xffu)
GTS_UNSIGNED_FAULTS(u16, (u32)a * (u32)b <= 0xffffu)
GTS_UNSIGNED_FAULTS(u32, __umulhi(a, b) == 0)
GTS_UNSIGNED_FAULTS(u64, __umul64hi(a, b) == 0)
GTS_SIGNED_FAULTS(i32, (i32)0x80000000u, __mulhi)
GTS_SIGNED_FAULTS(i64, (i64)0x8000000000000000ull, __mul64hi)

template <class T>
__device__ __forceinline__ bool gts_shift_faults(T, u64 amount) {
    return amount >= 8 * sizeof(T);
}

// Quotients and remainders that are 0 where they are undefined.
template <class T>
__device__ __forceinline__ T gts_total_div(T a, T b) {
    return gts_div_faults(a, b) ? (T)0 : (T)(a / b);
}
template <class T>
__device__ __forceinline__ T gts_total_rem(T a, T b) {
    return gts_div_faults(a, b) ? (T)0 : (T)(a % b);
}

// Returns the value of the active vertex `place.src`. Reports a fault of this vertex if the value is UNREACHED, and then
// returns 1, with which few operations fault again.
template <class T>
__device__ __forceinline__ T gts_present(const gts_common &gts, const gts_place &place, u32 site, T value) {
    if (value != gts_unreached<T>()) {
        return value;
    }
    gts_report_at(gts, place, (gts_vertex)~(gts_vertex)0, site, 0);
    return (T)1;
}

// Operations that report a fault. After a report, the result equals that of the wrapping operation; an undefined quotient
// or remainder is 0. `site` is the operation's place in the source, and `place` the vertex or edge.
#define GTS_CHECKED(NAME, OPERANDS, FAULTS, VALUE, WRAPPED)                                                      \
    template <class T>                                                                                           \
    __device__ __forceinline__ T NAME(const gts_common &gts, const gts_place &place, u32 site, OPERANDS) {       \
        if (FAULTS) {                                                                                            \
            gts_report(gts, place, site, (i64)VALUE);                                                            \
        }                                                                                                        \
        return WRAPPED;                                                                                          \
    }
#define GTS_TWO T a, T b
#define GTS_SHIFTED T a, u64 amount

GTS_CHECKED(gts_plus, GTS_TWO, gts_add_overflows(a, b), a, gts_add(a, b))
GTS_CHECKED(gts_minus, GTS_TWO, gts_sub_overflows(a, b), a, gts_sub(a, b))
GTS_CHECKED(gts_times, GTS_TWO, gts_mul_overflows(a, b), a, gts_mul(a, b))
GTS_CHECKED(gts_negated, T a, gts_is_smallest(a), a, gts_neg(a))
GTS_CHECKED(gts_absolute, T a, gts_is_smallest(a), a, gts_abs(a))
GTS_CHECKED(gts_shifted_left, GTS_SHIFTED, gts_shift_faults(a, amount), amount, gts_shl(a, (u32)amount))
GTS_CHECKED(gts_shifted_right, GTS_SHIFTED, gts_shift_faults(a, amount), amount, gts_shr(a, (u32)amount))

// A division has a site for a divisor of zero and one for an overflow.
#define GTS_DIVISION(NAME, TOTAL)                                                                                \
    template <class T>                                                                                           \
    __device__ __forceinline__ T NAME(const gts_common &gts, const gts_place &place, u32 zero, u32 overflow,     \
                                      T a, T b) {                                                                \
        if (gts_div_faults(a, b)) {                                                                              \
            gts_report(gts, place, b == 0 ? zero : overflow, (i64)a);                                            \
        }                                                                                                        \
        return TOTAL(a, b);                                                                                      \
    }

GTS_DIVISION(gts_div, gts_total_div)
GTS_DIVISION(gts_rem, gts_total_rem)

// Converts floats to integers: rounds towards zero, saturates, and maps NaN to 0.
template <class F>
__device__ __forceinline__ u64 gts_to_unsigned(F x, F beyond, u64 largest) {
    return x >= beyond ? largest : x > (F)0 ? (u64)x : 0ull;
}
template <class F>
__device__ __forceinline__ i64 gts_to_signed(F x, F beyond, i64 smallest, i64 largest) {
    return x >= beyond ? largest : x < -beyond ? smallest : x == x ? (i64)x : 0ll;
}

#define GTS_CASTS(F)                                                                                             \
    __device__ __forceinline__ u8 gts_to_u8(F x) { return (u8)gts_to_unsigned<F>(x, (F)256, 0xffull); }          \
    __device__ __forceinline__ u16 gts_to_u16(F x) { return (u16)gts_to_unsigned<F>(x, (F)65536, 0xffffull); }   \
    __device__ __forceinline__ u32 gts_to_u32(F x) {                                                             \
        return (u32)gts_to_unsigned<F>(x, (F)4294967296.0, 0xffffffffull);                                       \
    }                                                                                                            \
    __device__ __forceinline__ u64 gts_to_u64(F x) {                                                             \
        return gts_to_unsigned<F>(x, (F)18446744073709551616.0, ~0ull);                                          \
    }                                                                                                            \
    __device__ __forceinline__ i32 gts_to_i32(F x) {                                                             \
        return (i32)gts_to_signed<F>(x, (F)2147483648.0, -2147483648ll, 2147483647ll);                           \
    }                                                                                                            \
    __device__ __forceinline__ i64 gts_to_i64(F x) {                                                             \
        return gts_to_signed<F>(x, (F)9223372036854775808.0, (i64)0x8000000000000000ull, 0x7fffffffffffffffll);  \
    }

GTS_CASTS(f32)
GTS_CASTS(f64)

template <class F>
__device__ __forceinline__ bool gts_is_nan(F x) {
    return x != x;
}

// Maps floats to integers that compare in the order of `min` and `max`, with -0.0 below +0.0.
__device__ __forceinline__ i32 gts_ordered(f32 x) {
    i32 bits = __float_as_int(x);
    return bits ^ (i32)((u32)(bits >> 31) >> 1);
}
__device__ __forceinline__ i64 gts_ordered(f64 x) {
    i64 bits = __double_as_longlong(x);
    return bits ^ (i64)((u64)(bits >> 63) >> 1);
}

// Implements `a.min(b)` and `a.max(b)`. If one of two floats is NaN, the result is the other float.
template <class T>
__device__ __forceinline__ T gts_min(T a, T b) {
    return b < a ? b : a;
}
template <class T>
__device__ __forceinline__ T gts_max(T a, T b) {
    return a < b ? b : a;
}
#define GTS_FLOAT_EXTREMES(F)                                                                                    \
    template <>                                                                                                  \
    __device__ __forceinline__ F gts_min(F a, F b) {                                                             \
        return b != b ? a : a != a ? b : gts_ordered(b) < gts_ordered(a) ? b : a;                                \
    }                                                                                                            \
    template <>                                                                                                  \
    __device__ __forceinline__ F gts_max(F a, F b) {                                                             \
        return b != b ? a : a != a ? b : gts_ordered(a) < gts_ordered(b) ? b : a;                                \
    }

GTS_FLOAT_EXTREMES(f32)
GTS_FLOAT_EXTREMES(f64)

// The values of GTS_CHECKS_SUMS, see `gts_checked_sum` and `gts_holds_part`.
#define GTS_WHOLE 1
#define GTS_PART 2
template <class T> struct gts_unsigned { typedef T type; };
template <> struct gts_unsigned<i32> { typedef u32 type; };
template <> struct gts_unsigned<i64> { typedef u64 type; };

// The directions in which a kernel moves integers. Terms of both signs are checked only in checked mode, and only if
// elements hold whole values.
#define GTS_UP 0
#define GTS_DOWN 1
#define GTS_MIXED 2
#if defined(GTS_CHECKED_MODE) && defined(GTS_CHECKS_SUMS) && GTS_CHECKS_SUMS == GTS_WHOLE
#define GTS_CHECKS_MIXED true
#else
#define GTS_CHECKS_MIXED false
#endif

// Returns a float that a body stores or merges. In checked mode, reports an error if the float is NaN.
template <class T>
__device__ __forceinline__ T gts_number(const gts_common &gts, const gts_place &place, u32 site, T value) {
#ifdef GTS_CHECKED_MODE
    if (gts_is_nan(value)) {
        gts_report(gts, place, site, 0x7ff800007fc00000ll);
    }
#endif
    return value;
}
