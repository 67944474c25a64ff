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

/** Redaction of a live run: secrets of its input and responses. */
export interface LearnedRun {
  /** Redacts text: a path may contain a token of a response. */
  readonly hide: (text: string) => string;
  /** Redacts a response as a recording does; names of members may be secrets too. */
  readonly mask: (value: unknown) => unknown;
}

/** @param secrets secrets of the case by placeholder name */
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
