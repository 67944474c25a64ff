/** RPCs that one check of a form calls for its fields and options, where its caller does not say. */
export const DEFAULT_MAX_RPC_CALLS = 100;

/** RPC calls for one form whose fields are listed. */
export const MAX_CALLS = 100;

/** Problems kept with their words; further ones are only counted. */
export const MAX_PROBLEMS = 1000;

/** Texts that may use up their time before patterns are no longer tried in a check. */
export const PATTERN_EXHAUSTIONS = 3;

/** Worst case up to which a pattern of a field is tried by the host: its engine is as safe as ours there, and faster. */
export const MAX_HOST_STEPS = 1_000_000;

/** Steps of patterns for all values of one check. */
export const MAX_HOST_STEPS_PER_CHECK = 1_000_000_000;

/** Steps of our own engine for one text: a sixth of what a replacement may take, as a form has many fields. */
export const MAX_MATCH_STEPS = 5_000_000;
