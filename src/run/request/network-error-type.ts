import type { AppErrorType } from '../../errors/app-error.js';
import type { ErrorCode } from '../../errors/codes.js';

/**
 * What a failed exchange means for a scenario.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/error. [inf]
 */
const ERROR_TYPES: Partial<Record<ErrorCode, AppErrorType>> = {
  NETWORK_FAILED: 'ConnectionError',
  NETWORK_TIMEOUT: 'ConnectionError',
  NETWORK_RESPONSE_TOO_LARGE: 'MaxFileSizeExceededError',
};

/** The type of the error that a request without a response ends in, by the code of what failed. */
export function chooseNetworkErrorType(code: ErrorCode): AppErrorType {
  return ERROR_TYPES[code] ?? 'RuntimeError';
}
