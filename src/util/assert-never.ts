/** Marks a switch over `kind` as complete: a value that reaches it is a defect of ours, not of the input. */
export function assertNever(value: never): never {
  throw new TypeError(`Unhandled case: ${JSON.stringify(value)}`);
}
