import {
  ANY_TEXT,
  ANY_VALUE,
  checkGiven,
  DATA,
  type GivenShape,
  type GivenShapes,
  portWith,
  SIGNAL,
  TEXT_LIST,
  YES_OR_NO,
} from '../errors/check-options.js';
import type { AuthorizeInput, RefreshInput } from './connection-input.js';

/** What a store of connections may be. */
export const STORE_SHAPE: GivenShape = portWith(['get', 'save'], ['exclusively']);

const STEP_SHAPES: GivenShapes<AuthorizeInput & RefreshInput> = {
  parameters: DATA,
  common: ANY_VALUE,
  signal: SIGNAL,
  scopes: TEXT_LIST,
  modules: TEXT_LIST,
  webhooks: TEXT_LIST,
  redirectUri: ANY_TEXT,
  localRedirectUri: ANY_TEXT,
  makeRedirectUri: ANY_TEXT,
  codeVerifier: ANY_TEXT,
  force: YES_OR_NO,
};

const KNOWN_SHAPES: Readonly<Record<string, GivenShape>> = { connection: DATA, parameters: DATA };

/** @throws EngineError (USAGE) for what a step of a connection cannot be given; ImlError (IML_HOST_VALUE) */
export function checkStep(input: unknown): void {
  checkGiven(input, STEP_SHAPES, 'The input of a connection');
}

/** @throws EngineError (USAGE) for what is no connection that was made before; ImlError (IML_HOST_VALUE) */
export function checkKnown(known: unknown): void {
  // Whoever keeps one may keep more beside it.
  checkGiven(known, KNOWN_SHAPES, 'A known connection', true);
}
