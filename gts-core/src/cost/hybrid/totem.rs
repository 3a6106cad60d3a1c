//! The performance model of TOTEM as published: A. Gharaibeh, L. Beltrão Costa, E. Santos-Neto, M. Ripeanu: "A Yoke of
//! Oxen and a Thousand Chickens for Heavy Lifting Graph Processing", PACT 2012, section 3.
//!
//! Sizes are in edges, and rates in edges per second, for both processing and communication. The model adds up the
//! times of computation and communication. The model ignores scheduling and message delivery.

/// The bus rate of the paper's hardware, in bytes per second: 4 GB/s over PCI Express 2.0 (section 3 and Figure 1).
pub const BUS_RATE: f64 = 4e9;
/// Bytes that cross the bus per boundary edge (section 3 and Figure 1).
pub const EDGE_BYTES: f64 = 4.0;

/// A partition of a graph and its processor: the terms of equation 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Partition {
    /// |E_p|: the number of edges in the partition.
    pub edges: f64,
    /// |E_p^b|: the number of boundary edges, which have one end in another partition.
    pub boundary_edges: f64,
    /// r_p: the number of edges that the processor processes per second.
    pub processing_rate: f64,
}

impl Partition {
    /// Returns the time of the communication phase, for a communication rate `c` in edges per second.
    pub fn communication_seconds(&self, communication_rate: f64) -> f64 {
        self.boundary_edges / communication_rate
    }

    /// Returns the time of the computation phase.
    pub fn computation_seconds(&self) -> f64 {
        self.edges / self.processing_rate
    }

    /// Returns t(G_p) = |E_p^b| / c + |E_p| / r_p: the time that a processor takes for its partition (equation 1).
    pub fn seconds(&self, communication_rate: f64) -> f64 {
        self.communication_seconds(communication_rate) + self.computation_seconds()
    }
}

/// Returns m_P(G) = max t(G_p): the time until the last partition is processed (equation 2).
pub fn makespan(partitions: &[Partition], communication_rate: f64) -> f64 {
    partitions.iter().map(|partition| partition.seconds(communication_rate)).fold(0.0, f64::max)
}

/// Returns s_P(G) = m_cpu(G) / m_P(G): the speedup over the CPU alone (equation 3). The paper writes t(G_cpu) for
/// m_P(G). The two are equal if the CPU finishes last. This function always uses equation 2 for m_P(G).
pub fn speedup_of(partitions: &[Partition], communication_rate: f64, graph_edges: f64, cpu_rate: f64) -> f64 {
    let host_alone = Partition { edges: graph_edges, boundary_edges: 0.0, processing_rate: cpu_rate };
    host_alone.seconds(communication_rate) / makespan(partitions, communication_rate)
}

/// The terms of equation 4.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Offloading {
    /// alpha: the share of the edges that stay on the CPU.
    pub alpha: f64,
    /// beta: the share of the edges that are boundary edges.
    pub beta: f64,
    /// r_cpu: the number of edges that the CPU processes per second.
    pub cpu_rate: f64,
    /// c: the number of edges that cross the bus per second.
    pub communication_rate: f64,
}

impl Offloading {
    /// Returns c / (beta r_cpu + alpha c): the speedup over the CPU alone (equation 4). The equation holds while the
    /// CPU is the slower side, t(G_cpu) > t(G_gpu). Therefore the paper keeps alpha at one half or more.
    pub fn speedup(&self) -> f64 {
        let Self { alpha, beta, cpu_rate, communication_rate } = *self;
        // Numerator and denominator are divided by c, so that an infinite rate yields the limit 1 / alpha.
        1.0 / (beta * cpu_rate / communication_rate + alpha)
    }

    /// Returns the rate of the CPU with an accelerator: the last column of the paper's Table 1.
    pub fn rate(&self) -> f64 {
        self.cpu_rate * self.speedup()
    }
}

/// Returns c, the number of edges that cross the bus per second, from the bus rate and the bytes per message (section
/// 3).
pub fn communication_rate(bus_rate: f64, edge_bytes: f64) -> f64 {
    bus_rate / edge_bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
    }

    #[test]
    fn equation_1_by_hand() {
        // 200 M boundary edges at 1 G edges/s are 0.2 s; 600 M edges at 500 M edges/s are 1.2 s.
        let cpu = Partition { edges: 600e6, boundary_edges: 200e6, processing_rate: 500e6 };
        assert!(close(cpu.communication_seconds(1e9), 0.2) && close(cpu.computation_seconds(), 1.2));
        assert!(close(cpu.seconds(1e9), 1.4));
        assert!(close(cpu.seconds(f64::INFINITY), 1.2));
    }

    #[test]
    fn equations_2_and_3_by_hand() {
        let cpu = Partition { edges: 600e6, boundary_edges: 200e6, processing_rate: 500e6 };
        let gpu = Partition { edges: 400e6, boundary_edges: 200e6, processing_rate: 4e9 };
        // The GPU takes 0.2 + 0.1 s, and the CPU 1.4 s. The CPU alone takes 2 s for the whole graph.
        assert!(close(gpu.seconds(1e9), 0.3));
        assert!(close(makespan(&[cpu, gpu], 1e9), 1.4));
        assert!(close(speedup_of(&[cpu, gpu], 1e9, 1e9, 500e6), 2.0 / 1.4));
        // If the GPU is the slower side, the GPU determines the time.
        let slow = Partition { processing_rate: 100e6, ..gpu };
        assert!(close(makespan(&[cpu, slow], 1e9), 4.2));
        assert_eq!(makespan(&[], 1e9), 0.0);
    }

    #[test]
    fn equation_4_gives_the_values_of_table_1() {
        // r_cpu, the rate with a GPU, and the speedup, for alpha 70 % and beta 3 %.
        for (cpu_rate, rate, speedup) in [(650e6, 903e6, 1.39), (1050e6, 1435e6, 1.37)] {
            let c = communication_rate(BUS_RATE, EDGE_BYTES);
            let model = Offloading { alpha: 0.7, beta: 0.03, cpu_rate, communication_rate: c };
            assert!((model.speedup() - speedup).abs() < 0.005, "{model:?}");
            assert!((model.rate() - rate).abs() < 1e6, "{model:?}: {}", model.rate());
        }
    }

    #[test]
    fn equation_4_has_the_limits_that_the_paper_names() {
        let c = communication_rate(BUS_RATE, EDGE_BYTES);
        assert_eq!(c, 1e9);
        let model = Offloading { alpha: 0.5, beta: 0.2, cpu_rate: 0.5e9, communication_rate: c };
        // The leftmost point in Figure 2: 1 / (0.2 x 0.5 + 0.5).
        assert!(close(model.speedup(), 1.0 / 0.6));
        // With an infinitely fast bus, the speedup is 1 / alpha for every beta.
        for alpha in [0.5, 0.7, 1.0] {
            let free = Offloading { alpha, beta: 1.0, communication_rate: f64::INFINITY, ..model };
            assert!(close(free.speedup(), 1.0 / alpha));
        }
        // If every edge is a boundary edge, the speedup is 1 at alpha 50 %, and below 1 for larger alphas (Figure 2,
        // right).
        let worst = |alpha| Offloading { alpha, beta: 1.0, ..model }.speedup();
        assert!(close(worst(0.5), 1.0));
        assert!(close(worst(0.75), 0.8));
        // If all edges stay on the CPU and none is a boundary edge, the speedup is 1.
        assert!(close(Offloading { alpha: 1.0, beta: 0.0, ..model }.speedup(), 1.0));
    }

    proptest! {
        #[test]
        fn equation_4_is_equation_3_while_the_cpu_is_the_slower_side(
            alpha in 0.5..1.0f64, beta in 0.0..1.0f64, cpu_rate in 1e8..2e9f64, c in 1e8..1e11f64
        ) {
            let edges = 1e9;
            let cpu = Partition { edges: alpha * edges, boundary_edges: beta * edges, processing_rate: cpu_rate };
            let gpu = Partition { edges: edges - cpu.edges, processing_rate: 2.0 * cpu_rate, ..cpu };
            prop_assert!(cpu.seconds(c) >= gpu.seconds(c));
            let expected = Offloading { alpha, beta, cpu_rate, communication_rate: c }.speedup();
            prop_assert!(close(speedup_of(&[cpu, gpu], c, edges, cpu_rate), expected));
        }
    }
}
