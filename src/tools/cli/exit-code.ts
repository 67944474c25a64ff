/** Exit codes of the process. */
export const EXIT: {
  readonly ok: 0;
  /** The app, the module or the expression failed. */
  readonly failed: 1;
  /** The command line is invalid or names something that does not exist. */
  readonly usage: 2;
  /** An API differs from its recorded cases. */
  readonly drift: 3;
  /** Ctrl-C: 128 and the number of SIGINT, as shells expect. */
  readonly interrupted: 130;
} = { ok: 0, failed: 1, usage: 2, drift: 3, interrupted: 130 };
