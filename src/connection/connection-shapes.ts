import {
  ANYTHING,
  checkGiven,
  DATA,
  portWith,
  type Shape,
  type Shapes,
  SIGNAL,
  TEXT,
  TEXTS,
  YES_OR_NO,
} from '../errors/check-given.js';
import type { AuthorizeInput, RefreshInput } from './connection-input.js';

/** What a store of connections may be. */
export const STORE_SHAPE: Shape = portWith(['get', 'save'], ['exclusively']);

const STEP_SHAPES: Shapes<AuthorizeInput & RefreshInput> = {
  parameters: DATA,
  common: ANYTHING,
  signal: SIGNAL,
  scopes: TEXTS,
  modules: TEXTS,
  webhooks: TEXTS,
  redirectUri: TEXT,
  localRedirectUri: TEXT,
  makeRedirectUri: TEXT,
  codeVerifier: TEXT,
  force: YES_OR_NO,
};

const KNOWN_SHAPES: Readonly<Record<string, Shape>> = { connection: DATA, parameters: DATA };

/** @throws EngineError (USAGE) for what a step of a connection cannot be given; ImlError (IML_HOST_VALUE) */
export function checkStep(input: unknown): void {
  checkGiven(input, STEP_SHAPES, 'The input of a connection');
}

/** @throws EngineError (USAGE) for what is no connection that was made before; ImlError (IML_HOST_VALUE) */
export function checkKnown(known: unknown): void {
  // Whoever keeps one may keep more beside it.
  checkGiven(known, KNOWN_SHAPES, 'A known connection', true);
}
