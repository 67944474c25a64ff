import { SpecError } from '../errors/spec-error.js';
import { type BuiltResponse, buildResponse } from '../run/response/build-response.js';
import type { ModuleComponent } from '../document/app.js';
import { compileRespond } from '../document/compile/compile-respond.js';
import { subDocument } from '../document/reading/sub-document.js';
import { isPlainObject, ownMember } from '../util/plain-object.js';
import type { ConnectedInput } from './begin-run.js';
import { type CallReport, reportCall } from './call-report.js';
import { communicationOf } from './communication-of.js';
import { moduleSubject } from './run-subject.js';
import type { Runtime } from './runtime.js';

/**
 * Builds the answer of a responder to the webhook sender. Nothing is sent, and the base takes no part.
 *
 * @throws SpecError (SPEC_INVALID) where the module is no responder, or has no communication
 * @see reference/webhooks.md (Responder module)
 */
export async function runResponder(
  module: ModuleComponent,
  input: ConnectedInput,
  runtime: Runtime,
): Promise<CallReport<BuiltResponse>> {
  if (module.type !== 'responder') {
    throw new SpecError(
      'SPEC_INVALID',
      `The module "${module.name}" is a ${module.type} and answers nobody.`,
    );
  }
  const communication = communicationOf(module);
  const document = Array.isArray(communication.value) ? subDocument(communication, 0) : communication;
  const { value } = document;
  const response = isPlainObject(value) ? ownMember(value, 'response') : undefined;
  return reportCall(runtime, input, {
    subject: moduleSubject(module),
    work: async (context) => {
      const respond = compileRespond(response, document, '/response', await runtime.directives());
      return buildResponse(respond, context, 'text');
    },
  });
}
