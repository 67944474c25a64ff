import type { App } from '../../document/app.js';
import { compile } from '../../iml/compile.js';
import { readSanitize } from '../../redaction/sanitize-paths.js';
import { findNamedSecrets, type OnSecret } from '../secrets/find-secrets.js';
import { listSanitized } from './app-texts.js';

/** A path and its last name: `parameters.pin`. Other expressions may compute new values. */
const PATH = /^\s*\w+(?:\.\w+)*\.(\w+)\s*$/;

/**
 * Reports input values that `log.sanitize` hides by value: `request.body<parameters.pin>`. Ignores other expressions.
 *
 * @param names variables of expressions
 */
export function findSanitized(app: App, names: Readonly<Record<string, unknown>>, onSecret: OnSecret): void {
  const { request, response } = readSanitize(listSanitized(app));
  for (const source of new Set([...request.bodyTexts, ...response.bodyTexts])) {
    const name = PATH.exec(source)?.[1];
    if (name !== undefined)
      findNamedSecrets({ [name]: compile(`{{${source}}}`)(names) }, onSecret, () => true);
  }
}
