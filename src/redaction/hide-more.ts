import { addTexts, type BodyTexts, NO_TEXTS } from './body-texts.js';
import { type HiddenPaths, joinPaths, NO_PATHS, readSanitize, type SanitizePaths } from './sanitize-paths.js';

/** What is hidden of one side of an exchange, ready to be looked up. */
export interface HiddenSide extends Omit<SanitizePaths, 'body' | 'bodyTexts'> {
  readonly body: HiddenPaths;
  /** Those that are not looked for everywhere. */
  readonly bodyTexts: BodyTexts;
}

export interface Hidden {
  readonly request: HiddenSide;
  readonly response: HiddenSide;
}

const NOTHING: HiddenSide = { headers: new Set(), qs: new Set(), body: NO_PATHS, bodyTexts: NO_TEXTS };

export const NOTHING_HIDDEN: Hidden = { request: NOTHING, response: NOTHING };

/**
 * What was hidden before, and more; only that is read.
 *
 * @param know knows a text from now on; gives whether it is looked for everywhere, so that nobody has to look for it in bodies
 */
export function hideMore(
  before: Hidden,
  entries: readonly string[],
  know: (text: string) => boolean,
): Hidden {
  const more = readSanitize(entries);
  const hideMoreOn = (side: 'request' | 'response'): HiddenSide => {
    const { headers, qs, body, bodyTexts } = before[side];
    return {
      headers: new Set([...headers, ...more[side].headers]),
      qs: new Set([...qs, ...more[side].qs]),
      body: joinPaths(more[side].body, body),
      bodyTexts: addTexts(
        bodyTexts,
        more[side].bodyTexts.filter((text) => !know(text)),
      ),
    };
  };
  return { request: hideMoreOn('request'), response: hideMoreOn('response') };
}
