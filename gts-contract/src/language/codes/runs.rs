//! Errors of runs and engines, and of groups of processes.

macro_rules! runs {
    ([$next:ident $($later:ident)*] $($rows:tt)*) => { $next! { [$($later)*] $($rows)*

    1001 DivisionFault: Fault "A division without a result"
        "A body divided an integer by zero, or the smallest integer by -1. As in Rust, this is an error, and the run \
         ends. The message names the line, the value, and the vertex or edge. Test the divisor first.";
    1002 OverflowFault: Fault "An integer that its type cannot hold"
        "A sum, difference, product, negation or absolute value exceeded the range of its type, where Rust would \
         panic. Use a wider type. If the result is meant to stay in range, call a method such as `saturating_add` or \
         `wrapping_add`.";
    1003 ShiftFault: Fault "A shift by the width of the type or more"
        "A body shifted an integer by at least its number of bits, where Rust would panic. Test the amount, or use a \
         wider type.";
    1004 IndexFault: Fault "An array index out of range"
        "A body indexed an array beyond its length, which is part of the type. The message names the index.";
    1005 VertexFault: Fault "A number that is not a vertex of the graph"
        "A body made a vertex from a number that is not less than the number of vertices, or used the `VertexId` \
         `UNREACHED` as an index. Compare with `UNREACHED`, or keep the number within bounds.";
    1006 StepLimit "Active vertices after the last step"
        "The traversal reached the maximum number of steps while vertices were still active. Allow more steps, or look \
         for a vertex that is activated again and again.";
    1007 TimeLimit: TimeLimit "A run beyond its time limit"
        "The run took longer than the limit that was set for it. Allow more time, or look for a loop that never ends.";
    1008 UnsetParam "A param without a value"
        "A kernel reads a `#[param]` that has no default and that the host has not set. Call `run.set_param` before \
         the pass, or declare `#[param(default = ..)]`.";
    1009 UnsetGlobal "A global without a value"
        "The host reads a `#[global]` before any kernel that updates it has run. Read the global after a pass of such \
         a kernel.";
    1010 NothingActivated "A pass over active vertices before any vertex is activated"
        "`traverse`, `advance`, `apply_active` and `gather_active` visit active vertices, and no earlier call could \
         have activated one. Call `run.activate` or `run.activate_all` first. It is no error if a kernel leaves no \
         vertex active.";
    1011 UnmetNeed "A requirement that is not met"
        "An algorithm, kernel or attribute requires something that the graph or the run lacks, such as weights, \
         in-edges, edges in both directions, or another kind of device. The message names the requirement.";
    1012 InvalidArgument: Usage "An invalid argument"
        "An argument of a call, a parameter of an algorithm or a setting of an engine is invalid. The message names \
         the argument and the reason.";
    1013 UnknownVertex: Absent "A vertex that is not in the graph"
        "The graph has no vertex with this key. The advice states the number of keys, the first and the last one, and \
         the nearest name.";
    1014 NotAVertex "`UNREACHED` where a vertex is needed"
        "A `VertexId` with the value `UNREACHED`, which represents no vertex, was converted to a `Vertex`. Compare \
         with `UNREACHED` first.";
    1015 Interrupted: Interrupted "An interrupted run"
        "The user or the caller ended the run. No result was written, and incomplete files were removed.";
    1016 NoThreads: Memory "A thread that cannot be started"
        "The system refused to start a thread because of a limit on the user's processes, or for lack of memory. Raise \
         the limit (`ulimit -u`, `ulimit -v`), or close other programs.";
    1017 HostMemory: Memory "Too little host memory"
        "An allocation failed, or a plan needs more host memory than is allowed. Close other programs, allow more \
         memory, or leave the pages of the graph on disk.";
    1018 KernelLimit "A kernel that does not support the configuration"
        "The requested strategy, technique or number of devices needs a property that the kernel lacks. For instance, \
         only a kernel that updates by its merges can run on copies of the attributes. `gts show` lists the \
         properties.";
    1019 UnsharedNodes "Nodes that cannot share a run"
        "The run cannot be divided among this number of nodes. The message states the reason.";
    1020 WrongConformance "A conformance test that failed"
        "An algorithm returned different answers in two cases that must agree, such as two devices or two techniques, \
         or its answer differs from that of its serial version. The message describes the case, so that the failure \
         can be repeated.";
    1021 LostRank "A rank that ended or does not respond"
        "A process of the group ended, or sent nothing for longer than the limit. Check the last lines of output of \
         that rank and the memory of its machine, then start all ranks again.";
    1022 AbortedRun "A run ended by another rank"
        "A rank of the group failed and ended the run of all ranks. The message of the failed rank states the cause.";
    1023 UnlikeRanks "Ranks that perform different operations"
        "Two ranks of a group perform different operations. All ranks need the same version, graph and options. A \
         program must not branch on anything that differs between ranks, such as a clock or free memory.";
    1024 NoGroup "A process that cannot join its group"
        "The process could not reach the other ranks, or its place in the group is invalid. The message states the \
         reason.";
    1025 ForeignFrame "Data that is not a message of a group"
        "Another program connected to the port of a rank, or the other process has a different version.";
    1026 DamagedFrame "A damaged message between ranks"
        "The checksum, the kind or the length of a message is wrong. Check the network, and start all ranks again.";
    1027 LostConnection "A connection between ranks that ended"
        "The connection closed within a message, or the system could not read from the connection. The usual cause is \
         that the other rank has ended.";
    1028 FailedAssertion: Fault "An assertion that does not hold"
        "The condition of an `assert!` in a body is false. The message names the line, the value in the assertion, and \
         the vertex or edge.";
    1029 UnreachedFault: Fault "Arithmetic on an active vertex without a value"
        "The `src` of a traversal is active, so the kernel assumes that the value there was set, and computes with it. \
         However, the value is `UNREACHED`. Set the value of each vertex that the host activates, or test the value in \
         the body.";
    1030 GlobalOverflow: Fault "A sum that the type of its global cannot hold"
        "The sum of a `#[global]` is outside the range of its type. Declare the global as `u64`, `i64` or `f64`.";
    1031 NanFault: Fault "A NaN that is stored or merged"
        "In checked mode, a body stored a NaN or merged one into a value. Usual causes are `0.0 / 0.0`, the \
         difference of two infinite values, and the square root of a negative number. The message names the line, and \
         the vertex or edge. Without checked mode, a sum becomes NaN, and `fetch_min` and `fetch_max` ignore a NaN.";
    1032 WrongOutput "An output that differs from its declaration"
        "The driver of an algorithm returned an output that `Algorithm::outputs` does not declare, or one of another \
         type or length. Declare the type that the driver returns; values of vertices have one element per vertex.";
    } };
}
