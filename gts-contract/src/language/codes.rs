//! The codes of errors. A code names one kind of mistake and is never used again.
//!
//! `GTS0xxx` are errors of the macros, `GTS1xxx` of runs and engines, `GTS2xxx` of graphs and imports, `GTS3xxx` of
//! devices, and `GTS4xxx` of the command line.

use std::fmt;

macro_rules! codes {
    ($($number:literal $name:ident $title:literal)*) => {
        /// A kind of mistake, with the number by which it is looked up.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code {
            $(#[doc = $title] $name,)*
        }

        impl Code {
            /// Every code, in ascending order.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Returns the number, unique among all codes.
            pub const fn number(self) -> u16 {
                match self {
                    $(Self::$name => $number,)*
                }
            }

            /// Returns the kind of mistake in one line.
            pub const fn title(self) -> &'static str {
                match self {
                    $(Self::$name => $title,)*
                }
            }
        }
    };
}

codes! {
    1 Syntax "Text that is not Rust"
    2 WrongItem "A macro on the wrong kind of item"
    3 MacroArgument "An argument that the macro does not take"
    4 ConditionalCode "`#[cfg]` where a macro cannot evaluate it"
    5 AttributeInBody "An attribute or a doc comment in a body"
    6 NestedItem "An item in a body"
    7 MacroCall "A macro call in a body"
    8 Pattern "A pattern in a body"
    9 LocalWithoutValue "A local without a value"
    10 Reference "A reference or pointer in a body"
    11 Closure "A closure in a body"
    12 Aggregate "A tuple or struct in a body"
    13 TextLiteral "A literal that is no number"
    14 Iteration "A loop over something other than a range of integers"
    15 NeighborsOutside "Neighbours outside a reduction"
    16 LoopLabel "A labelled loop"
    17 GenericPath "Type arguments or a trait's path in a body"
    18 NotInLanguage "An expression outside the kernel language"
    19 NoValue "A value expected where there is none"
    20 StatementInExpression "A statement within an expression"
    21 UnusedValue "An expression whose value is unused"
    22 OutsideLoop "`break` or `continue` outside a loop"
    23 ReturnValue "A `return` that does not fit the signature"
    24 StoreTarget "A store into something that cannot change"
    25 Immutable "An assignment to an immutable local"
    26 ArrayForm "An array whose length or elements the macro cannot see"
    27 Recursion "A helper that uses itself"
    28 ConstantValue "A constant that is not constant"
    101 NamedFields "An attribute struct without named fields"
    102 StructGenerics "Generics that an attribute struct cannot have"
    103 TypeList "A list of types that is malformed"
    104 UnlistedParameter "A type parameter and a list of types that do not match"
    105 DuplicateAttribute "Two attributes of one name"
    106 ReservedName "A name that the framework reserves"
    107 AttributeType "A type that attributes cannot have"
    108 UnknownFieldKind "An unknown kind of attribute"
    109 FieldKind "An attribute without exactly one kind"
    110 MissingSetting "A setting that is missing"
    111 SettingForm "Settings that are malformed"
    112 UnknownSetting "An unknown setting"
    113 UnknownMerge "An unknown merge"
    114 MergeOfType "A merge that the type does not support"
    115 InitialValue "An initial value that does not fit the type"
    116 RaSource "An `#[ra]` without a matching `#[wa]`"
    117 SecondEdgeValue "A second edge value"
    118 EdgeType "A type that a store keeps no edge values of"
    119 EdgeWaType "A type or merge that values of edges cannot have"
    201 UnknownType "A type outside the language"
    202 OpenType "A type that cannot be inferred"
    203 Mismatch "Two types that differ"
    204 OperandType "An operand of the wrong type"
    205 VertexAsNumber "A vertex used as a number"
    206 VertexFromNumber "A vertex made from something other than its number"
    207 LiteralRange "A literal out of range"
    208 LiteralType "A suffix or limit of the wrong type"
    209 UnreachedType "`UNREACHED` of a type that has none"
    210 Cast "A cast between types that do not convert"
    211 CertainFault "An operation that always fails"
    212 RandomKey "A random number for something that is no key"
    213 UnknownName "An unknown name"
    214 CallForm "A function used as a value, or a value called"
    215 UnknownAttribute "An unknown attribute"
    216 UnknownMethod "An unknown method"
    217 ArgumentCount "The wrong number of arguments"
    218 OnlyInKernels "A kernel's built-in in a helper"
    301 FieldAccess "A field of something other than the attributes"
    302 Indexing "An index into something that has none"
    303 IndexCount "Too many or too few indices"
    304 VertexIndex "An attribute indexed by something other than a vertex"
    305 EdgeIndex "An edge value indexed by something other than the edge"
    306 EdgePosition "The position of an edge where edges have none"
    307 GlobalRead "A global read in a kernel"
    308 ReadOnly "A store into a param or an edge value"
    309 RaElsewhere "An `#[ra]` read at another vertex"
    310 RaWritten "A store into an `#[ra]`"
    311 OtherMerge "An update other than the declared merge"
    312 EdgeWaAccess "A result per edge used outside its merge"
    313 MergeByHand "A read and a store in place of one update"
    314 StoreByEdge "A store whose value depends on the edge"
    315 TwoAccesses "An update and another access in one expression"
    316 MissingValue "Arithmetic on a value that may be missing"
    317 ReadWhileWritten "A read of values that other threads write"
    318 ArrivalTime "A result that depends on the time of arrival"
    319 AgainstMerge "An update that may move against the merge"
    320 ClosingCondition "A condition that other threads close"
    321 OrderOfImprovements "A result that depends on the order of improvements"
    322 AddedTwice "A guard that several edges may pass"
    401 KernelKindWord "A kernel without exactly one kind"
    402 KernelDirection "An unknown direction"
    403 UnknownTechnique "An unknown technique"
    404 SettingOfKind "A setting that this kind of kernel does not have"
    405 PlainFunction "A function with qualifiers"
    406 KernelGenerics "Generics that a kernel cannot have"
    407 KernelParameters "Parameters that do not fit the kind of kernel"
    408 AttributesParameter "A first parameter that is no attribute struct by `&mut`"
    409 NoAttributeStruct "A struct without `#[gts_attributes]`"
    410 TypeOfStruct "A type argument that does not fit the struct"
    411 HelperSignature "A signature that a helper cannot have"
    412 PlainValue "A helper or constant of a type that is no plain value"
    413 IntersectEdges "Edge values of edges other than out-edges"
    414 ReductionCount "A gather kernel without exactly one reduction"
    415 ReductionForm "A reduction of another form"
    416 UnknownReducer "An unknown reduction"
    417 ReductionClosure "A closure that does not fit the reduction"
    418 BeforeReduction "A statement before a reduction"
    419 ReductionEffect "A reduction that changes something"
    420 ReductionType "A reduction of values that it does not support"
    421 PriorityType "A priority that is no number"
    422 PriorityEffect "A priority that changes something"
    423 PriorityReturn "A `return` in a priority"
}

impl Code {
    /// Returns the code written as `GTS0203`, `gts0203` or `203`.
    pub fn find(text: &str) -> Option<Self> {
        let prefixed = text.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("GTS"));
        let digits = if prefixed { &text[3..] } else { text };
        let number = digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse::<u16>().ok())??;
        Self::ALL.iter().copied().find(|code| code.number() == number)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GTS{:04}", self.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_ascend() {
        for pair in Code::ALL.windows(2) {
            assert!(pair[0].number() < pair[1].number(), "{} comes before {}", pair[0], pair[1]);
        }
    }

    #[test]
    fn a_code_is_found_by_each_of_its_spellings() {
        assert_eq!(Code::Mismatch.to_string(), "GTS0203");
        for text in ["GTS0203", "gts0203", "Gts203", "0203", "203"] {
            assert_eq!(Code::find(text), Some(Code::Mismatch), "{text}");
        }
        for text in ["", "GTS", "0", "GTS9999", "+203", "GTS 203", "999999", "E0203"] {
            assert_eq!(Code::find(text), None, "{text}");
        }
    }
}
