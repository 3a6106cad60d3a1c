//! Errors of the command line.

macro_rules! commands {
    ([$next:ident $($later:ident)*] $($rows:tt)*) => { $next! { [$($later)*] $($rows)*

    4001 CommandLine: Usage "A command line that cannot be parsed"
        "A flag or value is unknown, malformed or missing. `gts COMMAND --help` lists the flags of a command.";
    4002 InvalidUse: Usage "An invalid flag, value or word"
        "The command line is well-formed, but a part of it contradicts another part, the graph or the machine. The \
         message names this part, and the advice suggests a valid one.";
    4003 FileAccess: Unread "A file that cannot be read"
        "The system refused to open or read a file that the command line names. The message contains the system's \
         reason.";
    4004 ExistingFile: Unwritten "A file that exists already"
        "A command replaces an existing file only if `--force` is set.";
    4005 CommandFailure "A command that failed"
        "The command cannot complete. The message states the reason, and the advice states the next step.";
    4006 WrongAnswer "A wrong answer"
        "`--check` compared the answer with the answer of the serial version, and the two differ. Run the command \
         again with another technique or device, and report the error.";
    4007 FailedRank "A rank that failed"
        "A process started by `gts launch` failed. This process has reported its own error.";
    4008 ClosedOutput: Unwritten "A result that cannot be printed"
        "The system refused to write the result to standard output.";
    4009 UnwritableFile: Unwritten "A file that cannot be written"
        "The system refused to create or write a file that the command line names, or something else has its name. The \
         message states the reason.";
    } };
}
