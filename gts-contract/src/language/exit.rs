//! Exit codes of commands. Each error code leads to one of them.

macro_rules! exits {
    ($($name:ident $code:literal $meaning:literal;)*) => {
        /// The end of a command, by its exit code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Exit {
            $(#[doc = concat!("Exit code ", $code, ": ", $meaning, ".")] $name,)*
        }

        impl Exit {
            /// All ends except success, in ascending order of their codes.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Returns the exit code.
            pub const fn code(self) -> u8 {
                match self { $(Self::$name => $code,)* }
            }

            /// Returns a phrase that states the cause.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$name => $meaning,)* }
            }
        }
    };
}

// Codes from 65 on have their meanings in `sysexits.h`, if it has one. Shells use 130 after Ctrl-C.
exits! {
    Failed 1 "a wrong answer under `--check`, or any failure that is not listed";
    Usage 2 "the command line is invalid";
    Fault 3 "a fault or a failed `assert!` in a kernel";
    Input 65 "a file or a store is malformed, damaged or unsuitable";
    Absent 66 "a file, a store or a vertex does not exist";
    NoDevice 69 "the device cannot be used";
    LostDevice 70 "the device failed and cannot be used again by this process";
    Memory 71 "there is too little memory, or no thread can be started";
    Unwritten 73 "the result cannot be written, or would replace a file";
    Unread 74 "the system could not read a file";
    TimeLimit 75 "the run exceeded its time limit";
    Interrupted 130 "Ctrl-C, or a request to end by the system or a closing terminal; no incomplete file is left";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_ascend() {
        assert!(Exit::ALL.is_sorted_by_key(|exit| exit.code()), "{:?}", Exit::ALL);
    }
}
