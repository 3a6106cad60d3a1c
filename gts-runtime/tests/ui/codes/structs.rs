//! The wrong examples of codes. Generated from `gts_contract::language`.

use gts_graph::prelude::*;

#[gts_attributes]
struct A {
    #[wa(init = UNREACHED, merge = min)]
    level: u32,
    #[wa(init = 0, merge = sum)]
    count: u32,
    #[edge(default = 1)]
    weight: u32,
    #[param(default = 3)]
    limit: u32,
    #[global(merge = sum)]
    total: u64,
}

/// An attribute struct without named fields.
mod gts0101 {
    use gts_graph::prelude::*;

    #[gts_attributes]
    struct Counts(u32);
}

/// Generics that an attribute struct cannot have.
mod gts0102 {
    use gts_graph::prelude::*;

    #[gts_attributes(T = f32 | f64)]
    struct Rank<T>
    where
        T: Copy,
    {
        #[wa(init = 0.0, merge = sum)]
        rank: T,
    }
}

/// A malformed list of types.
mod gts0103 {
    use gts_graph::prelude::*;

    #[gts_attributes(T = f32 | f32)]
    struct Rank<T> {
        #[wa(init = 0.0, merge = sum)]
        rank: T,
    }
}

/// A type parameter and a list of types that do not match.
mod gts0104 {
    use gts_graph::prelude::*;

    #[gts_attributes]
    struct Rank<T> {
        #[wa(init = 0.0, merge = sum)]
        rank: T,
    }
}

/// Two attributes with the same name.
mod gts0105 {
    use gts_graph::prelude::*;

    #[gts_attributes]
    struct Counts {
        #[wa(init = 0, merge = sum)]
        count: u32,
        #[wa(init = 0, merge = max)]
        count: u32,
    }
}

/// A name that the framework reserves.
mod gts0106 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let step = 3u32;
        a.count[v] = step;
    }
}

/// A type that attributes cannot have.
mod gts0107 {
    use gts_graph::prelude::*;

    #[gts_attributes]
    struct Names {
        #[wa(init = 0, merge = any)]
        name: String,
    }
}

/// An unknown kind of attribute.
mod gts0108 {
    use gts_graph::prelude::*;

    #[gts_attributes]
    struct Counts {
        #[rw(init = 0, merge = sum)]
        count: u32,
    }
}

/// An attribute without exactly one kind.
mod gts0109 {
    use gts_graph::prelude::*;

    #[gts_attributes]
    struct Counts {
        count: u32,
    }
}

/// A missing setting.
mod gts0110 {
    use gts_graph::prelude::*;

    #[gts_attributes]
    struct Counts {
        #[wa(init = 0)]
        count: u32,
    }
}

/// Malformed settings.
mod gts0111 {
    use gts_graph::prelude::*;

    #[gts_attributes]
    struct Counts {
        #[wa(init = 0, init = 1, merge = sum)]
        count: u32,
    }
}

/// An unknown setting.
mod gts0112 {
    use gts_graph::prelude::*;

    #[gts_attributes]
    struct Counts {
        #[wa(initial = 0, merge = sum)]
        count: u32,
    }
}

/// An unknown merge.
mod gts0113 {
    use gts_graph::prelude::*;

    #[gts_attributes]
    struct Counts {
        #[wa(init = 0, merge = add)]
        count: u32,
    }
}

/// A merge that the type does not support.
mod gts0114 {
    use gts_graph::prelude::*;

    #[gts_attributes]
    struct Marks {
        #[wa(init = 0.0, merge = or)]
        mark: f32,
    }
}

/// An initial value that does not fit the type.
mod gts0115 {
    use gts_graph::prelude::*;

    #[gts_attributes]
    struct Rank {
        #[wa(init = 1, merge = sum)]
        rank: f32,
    }
}

/// An `#[ra]` without a matching `#[wa]`.
mod gts0116 {
    use gts_graph::prelude::*;

    #[gts_attributes]
    struct Rank {
        #[ra(from = next)]
        rank: f64,
        #[wa(init = 0.0, merge = sum)]
        next: f32,
    }
}

/// A second edge value.
mod gts0117 {
    use gts_graph::prelude::*;

    #[gts_attributes]
    struct Roads {
        #[edge]
        length: u32,
        #[edge]
        toll: u32,
    }
}

/// A type that an `#[edge]` attribute cannot have.
mod gts0118 {
    use gts_graph::prelude::*;

    #[gts_attributes]
    struct Roads {
        #[edge]
        length: u8,
    }
}

/// A type or merge that a `#[wa(per = edge)]` cannot have.
mod gts0119 {
    use gts_graph::prelude::*;

    #[gts_attributes]
    struct Support {
        #[wa(per = edge, init = 0, merge = any)]
        support: u32,
    }
}

fn main() {}
