import type { App } from '../../document/app.js';
import { compile } from '../../iml/compile.js';
import { readSanitize } from '../../redaction/sanitize-paths.js';
import { findNamedSecrets, type OnSecret } from '../secrets/find-secrets.js';
import { listSanitized } from './app-texts.js';

/** `parameters.pin`: a path, and the name that it ends with. What an expression makes of several values may be none of theirs. */
const PATH = /^\s*\w+(?:\.\w+)*\.(\w+)\s*$/;

/**
 * Tells of what a run was given that the app hides in bodies by its value: `request.body<parameters.pin>`. Of other expressions nothing.
 *
 * @param names what the expressions see of the input
 */
export function findSanitized(app: App, names: Readonly<Record<string, unknown>>, onSecret: OnSecret): void {
  const { request, response } = readSanitize(listSanitized(app));
  for (const source of new Set([...request.bodyTexts, ...response.bodyTexts])) {
    const name = PATH.exec(source)?.[1];
    if (name !== undefined)
      findNamedSecrets({ [name]: compile(`{{${source}}}`)(names) }, onSecret, () => true);
  }
}
