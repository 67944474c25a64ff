import { EngineError } from '../../shared/errors/engine-error.js';
import { isPlainObject, ownMember } from '../../shared/plain-object.js';
import { type CallReport, reportCall } from '../component/call-report.js';
import type { ConnectedInput } from '../component/check-and-connect.js';
import { moduleSubject, requireCommunication } from '../component/run-subject.js';
import type { Runtime } from '../component/runtime.js';
import type { ModuleComponent } from '../document/app.js';
import { compileRespond } from '../document/compile-request.js';
import { subDocument } from '../document/document.js';
import { type BuiltResponse, buildAnswer } from '../run/build-answer.js';

/**
 * Builds the answer of a responder to the webhook sender. Nothing is sent, and the base takes no part.
 *
 * @throws EngineError (USAGE) where the module is no responder
 * @see https://developers.make.com/custom-apps-documentation/app-components/modules/responder
 */
export async function runResponder(
  module: ModuleComponent,
  input: ConnectedInput,
  runtime: Runtime,
): Promise<CallReport<BuiltResponse>> {
  if (module.type !== 'responder') {
    throw new EngineError(
      'USAGE',
      `The module "${module.name}" has type ${module.type}; only responders respond to a sender.`,
    );
  }
  return reportCall(runtime, input, {
    subject: () => moduleSubject(module),
    work: async (context) => {
      const communication = requireCommunication(module);
      const document = Array.isArray(communication.value) ? subDocument(communication, 0) : communication;
      const { value } = document;
      const response = isPlainObject(value) ? ownMember(value, 'response') : undefined;
      const directives = await runtime.directives(communication.value);
      const respond = compileRespond(response, document, '/response', directives);
      return { result: buildAnswer(respond, context, 'text') };
    },
  });
}
