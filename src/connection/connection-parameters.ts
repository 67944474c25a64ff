import { checkForm } from '../component/check-parameters.js';
import type { Runtime } from '../component/runtime.js';
import type { ConnectionComponent } from '../document/app.js';
import { readForm } from '../parameters/form/form.js';
import type { PlainObject } from '../util/plain-object.js';

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
