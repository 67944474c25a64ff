import type { AppErrorType } from '../../errors/app-error.js';

/**
 * The type of the error that a failed response is, by its status, where the app names none.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/error [doc]
 */
export function defaultErrorType(status: number): AppErrorType {
  if (status === 429) return 'RateLimitError';
  return isServerError(status) ? 'ConnectionError' : 'RuntimeError';
}

/** Its message, by the same source. Below 400 it is `valid` that turned the response down. */
export function defaultErrorMessage(status: number): string {
  if (status < 400) return 'Response marked as invalid.';
  if (status === 429) return 'Third party API limit likely exceeded';
  return isServerError(status) ? 'Service is temporarily unavailable.' : `Status Code Error: ${status}`;
}

function isServerError(status: number): boolean {
  return status >= 500 && status <= 599;
}
