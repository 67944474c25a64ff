import { requestInvalid } from '../../../shared/errors/engine-error.js';
import type { HeaderEntry } from '../transport.js';
import type { AwsCredentials } from './aws-credentials.js';
import { signAwsV2 } from './aws-signature-v2.js';
import { signAwsV4 } from './aws-signature-v4.js';
import type { SignableRequest } from './signable-request.js';

/**
 * Returns the headers of a request with its signature.
 *
 * @param nowMs time of the request in milliseconds since the Unix epoch
 * @throws REQUEST_INVALID without key or secret, or for a version other than 2 and 4
 */
export function signAws(request: SignableRequest, aws: AwsCredentials, nowMs: number): HeaderEntry[] {
  if (typeof aws.key !== 'string' || aws.key === '' || typeof aws.secret !== 'string' || aws.secret === '') {
    throw requestInvalid('aws needs key and secret.');
  }
  switch (String(aws.sign_version ?? '2')) {
    case '2':
    case '':
      return signAwsV2(request, aws, nowMs);
    case '4':
      return signAwsV4(request, aws, nowMs);
    default:
      throw requestInvalid('aws.sign_version must be 2 or 4.');
  }
}
