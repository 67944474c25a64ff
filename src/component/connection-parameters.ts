import type { ConnectionComponent } from '../spec/app.js';
import type { PlainObject } from '../util/plain-object.js';
import { checkForm } from './check-parameters.js';
import { readForm } from './form.js';
import type { Runtime } from './runtime.js';

/**
 * What a user filled in for a connection, checked and in the declared types, with defaults.
 * Fields behind `rpc://` are kept unchecked: an RPC needs the connection that is not there yet.
 *
 * @throws AppError of type BundleValidationError
 */
export async function checkConnectionParameters(
  { params }: ConnectionComponent,
  values: PlainObject,
  runtime: Runtime,
): Promise<PlainObject> {
  return params === undefined ? { ...values } : checkForm(readForm(params), values, {}, runtime);
}
