//! Errors of the command line.

macro_rules! commands {
    ([$next:ident $($later:ident)*] $($rows:tt)*) => { $next! { [$($later)*] $($rows)*

    4001 CommandLine "A command line that cannot be parsed"
        "A flag or a value does not exist or is missing. `gts COMMAND --help` lists the flags of a command.";
    4002 InvalidUse "A flag, value or word that does not fit"
        "The command line was parsed, but its parts do not fit each other, the graph or the machine. The message \
         names the part, and the advice a valid one.";
    4003 FileAccess "A file that cannot be read or written"
        "The system refused to open, read or write a file that the command line names. The message has the system's \
         reason.";
    4004 ExistingFile "A file that exists already"
        "Files are not replaced unless `--force` says so.";
    4005 CommandFailure "A command that failed"
        "The command cannot complete. The message states the reason, and the advice the next step.";
    4006 WrongAnswer "An answer that is wrong"
        "`--check` compared the answer with that of the serial version, and they differ. Run again with another \
         technique or device, and report it.";
    4007 FailedRank "A rank that failed"
        "A process started by `gts launch` failed. It has reported its own error.";
    4008 ClosedOutput "A result that cannot be printed"
        "The system refused to write the result to standard output.";
    } };
}
