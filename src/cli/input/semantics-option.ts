import { SEMANTICS, type Semantics } from '../../iml/environment/environment.js';
import type { OptionSpec } from '../command.js';
import { usageError } from '../usage-error.js';

export const SEMANTICS_OPTION: Readonly<Record<string, OptionSpec>> = {
  semantics: {
    value: 'runtime|documented',
    help: "Follows Make's runtime or its documentation where they differ. Default: iml.config.json, or runtime.",
  },
};

/** @throws EngineError (USAGE) for an unknown value */
export function readSemantics(text: string | undefined): Semantics | undefined {
  const semantics = SEMANTICS.find((known) => known === text);
  if (semantics !== undefined || text === undefined) return semantics;
  throw usageError(`--semantics: "${text}" is neither runtime nor documented.`);
}
