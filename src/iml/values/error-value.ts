import { APP_ERROR_TYPES, type AppErrorType } from '../../errors/app-error.js';
import { functionError } from '../../errors/iml-error.js';
import { isMissing, toText } from './coerce.js';
import { isCollection } from './collection.js';

/** What `errorFactory` gives: plain data, so that custom functions can return it. As `response.error` it is the error. */
export interface ErrorValue {
  readonly name: AppErrorType;
  readonly message: string;
}

/** @throws ImlError `IML_FUNCTION` for a type that the platform does not have */
export function createErrorValue(type: unknown, message: unknown): ErrorValue {
  const name = APP_ERROR_TYPES.find((known) => known === type);
  if (name !== undefined) return { name, message: isMissing(message) ? '' : toText(message) };
  throw functionError(`Unknown error type. Expected one of ${APP_ERROR_TYPES.join(', ')}.`);
}

/** The error that a value describes; undefined for any other value. */
export function readErrorValue(value: unknown): ErrorValue | undefined {
  if (!isCollection(value) || !Object.hasOwn(value, 'name') || !Object.hasOwn(value, 'message'))
    return undefined;
  const name = APP_ERROR_TYPES.find((known) => known === value['name']);
  const message = value['message'];
  return name !== undefined && typeof message === 'string' ? { name, message } : undefined;
}
