import type { App } from '../../document/app.js';
import { readSanitize } from '../../redaction/sanitize-paths.js';
import type { Fixture } from '../fixtures/fixture.js';
import { listSanitized } from '../recording/app-texts.js';
import { learnRequest, learnResponse } from '../recording/learn-call.js';
import { learnInput, listSecretParameters } from '../recording/learn-input.js';
import { mapPlaceholders } from '../recording/rehearse-run.js';
import { maskValue } from '../secrets/mask-value.js';
import { createSecretBook } from '../secrets/secret-book.js';
import { writePlaceholders } from '../secrets/write-placeholders.js';
import type { LiveRun } from './run-live.js';

/** What is secret of a run that went to the service: what it was given, and what came back. */
export interface LearnedRun {
  /** Takes it out of a text: a path may hold a token that an answer gave. */
  readonly hide: (text: string) => string;
  /** A copy of an answer as a recording would have it: names of members may be secrets, too. */
  readonly mask: (value: unknown) => unknown;
}

/** @param secrets those that have a name in the case, by it */
export function learnRun(
  app: App,
  { input, common, component }: Fixture,
  run: LiveRun,
  secrets: ReadonlyMap<string, string>,
): LearnedRun {
  const book = createSecretBook();
  for (const [name, value] of secrets) book.enter(name, value);
  const secretFields = component === undefined ? [] : listSecretParameters(app, component);
  learnInput(
    input,
    { app, common: common ?? app.common?.value, secretFields, isConnectionData: false },
    book,
  );
  const sanitize = readSanitize(listSanitized(app));
  for (const call of run.calls) {
    learnResponse(call, sanitize, book);
    learnRequest(call, sanitize, book);
  }
  const placeholders = mapPlaceholders(book);
  return {
    hide: (text) => String(writePlaceholders(book.clean(text), placeholders)),
    mask: (value) => maskValue(value, book),
  };
}
