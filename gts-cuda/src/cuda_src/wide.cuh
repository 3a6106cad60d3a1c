// Integers of 128 bits, and the exchange of values between the lanes of a warp.

// An integer of 128 bits, for sums of 64-bit integers. In memory, the low word comes first.
struct gts_wide {
    u64 low;
    i64 high;

    __device__ __forceinline__ gts_wide() : low(0), high(0) {}
    __device__ __forceinline__ gts_wide(u64 value) : low(value), high(0) {}
    __device__ __forceinline__ gts_wide(i64 value) : low((u64)value), high(value < 0 ? -1 : 0) {}
    __device__ __forceinline__ explicit operator u64() const { return low; }
    __device__ __forceinline__ explicit operator i64() const { return (i64)low; }
    __device__ __forceinline__ gts_wide operator+(gts_wide other) const {
        gts_wide sum(low + other.low);
        sum.high = (i64)((u64)high + (u64)other.high + (sum.low < low ? 1 : 0));
        return sum;
    }
    __device__ __forceinline__ gts_wide operator-() const {
        gts_wide negated(0 - low);
        negated.high = (i64)(~(u64)high + (low == 0 ? 1 : 0));
        return negated;
    }
};

// Returns whether a sum is a value of type T.
template <class T>
__device__ __forceinline__ bool gts_fits(i64 sum) {
    return (i64)(T)sum == sum;
}
template <class T>
__device__ __forceinline__ bool gts_fits(gts_wide sum) {
    return gts_wide((T)sum).high == sum.high;
}

// Returns the `value` of the lane that is `distance` lanes above this lane.
template <class T>
__device__ __forceinline__ T gts_from_lane_up(T value, u32 distance) {
    return __shfl_down_sync(GTS_ALL_LANES, value, distance);
}
template <> __device__ __forceinline__ u8 gts_from_lane_up(u8 value, u32 distance) {
    return (u8)__shfl_down_sync(GTS_ALL_LANES, (u32)value, distance);
}
template <> __device__ __forceinline__ u16 gts_from_lane_up(u16 value, u32 distance) {
    return (u16)__shfl_down_sync(GTS_ALL_LANES, (u32)value, distance);
}
template <> __device__ __forceinline__ bool gts_from_lane_up(bool value, u32 distance) {
    return __shfl_down_sync(GTS_ALL_LANES, (u32)value, distance) != 0;
}
template <> __device__ __forceinline__ gts_wide gts_from_lane_up(gts_wide value, u32 distance) {
    value.low = __shfl_down_sync(GTS_ALL_LANES, value.low, distance);
    value.high = __shfl_down_sync(GTS_ALL_LANES, value.high, distance);
    return value;
}

// Returns the `value` of one of the lanes that call this function together.
template <class T>
__device__ __forceinline__ T gts_from_lane(u32 lanes, T value, u32 lane) {
    return __shfl_sync(lanes, value, lane);
}
template <> __device__ __forceinline__ gts_wide gts_from_lane(u32 lanes, gts_wide value, u32 lane) {
    value.low = __shfl_sync(lanes, value.low, lane);
    value.high = __shfl_sync(lanes, value.high, lane);
    return value;
}
