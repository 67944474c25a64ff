import {
  ANY_BOOLEAN,
  ANY_OBJECT,
  ANY_TEXT,
  ANY_VALUE,
  checkMembers,
  type OptionShape,
  type OptionShapes,
  objectWithFunctions,
  SIGNAL,
  TEXT_LIST,
} from '../errors/check-options.js';
import type { AuthorizeInput, RefreshInput } from './connection-input.js';

/** Shape of a connection store. */
export const STORE_SHAPE: OptionShape = objectWithFunctions(['get', 'save'], ['exclusively']);

const STEP_SHAPES: OptionShapes<AuthorizeInput & RefreshInput> = {
  parameters: ANY_OBJECT,
  common: ANY_VALUE,
  signal: SIGNAL,
  scopes: TEXT_LIST,
  modules: TEXT_LIST,
  webhooks: TEXT_LIST,
  redirectUri: ANY_TEXT,
  localRedirectUri: ANY_TEXT,
  makeRedirectUri: ANY_TEXT,
  codeVerifier: ANY_TEXT,
  force: ANY_BOOLEAN,
};

const KNOWN_SHAPES: Readonly<Record<string, OptionShape>> = {
  connection: ANY_OBJECT,
  parameters: ANY_OBJECT,
};

/** @throws EngineError (USAGE) for invalid input of a connection step; ImlError (IML_HOST_VALUE) */
export function checkStep(input: unknown): void {
  checkMembers(input, STEP_SHAPES, 'The input of a connection');
}

/** @throws EngineError (USAGE) for an invalid connection; ImlError (IML_HOST_VALUE) */
export function checkKnown(known: unknown): void {
  // Other members are allowed, as stores may add their own.
  checkMembers(known, KNOWN_SHAPES, 'A known connection', true);
}
