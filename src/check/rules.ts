import type { Rule } from './rule.js';
import { connectionKeepsNothing } from './rules/documents/connection-keeps-nothing.js';
import { deadStatus } from './rules/documents/dead-status.js';
import { defaultType } from './rules/documents/default-type.js';
import { duplicateField } from './rules/documents/duplicate-field.js';
import { endlessVerification } from './rules/documents/endless-verification.js';
import { flagAsText } from './rules/documents/flag-as-text.js';
import { functionCode } from './rules/documents/function-code.js';
import { functionComment } from './rules/documents/function-comment.js';
import { hostHeader } from './rules/documents/host-header.js';
import { incompleteTrigger } from './rules/documents/incomplete-trigger.js';
import { misplacedDirective } from './rules/documents/misplaced-directive.js';
import { nestedWithoutStore } from './rules/documents/nested-without-store.js';
import { parameterType } from './rules/documents/parameter-type.js';
import { platformOnly } from './rules/documents/platform-only.js';
import { refusedRun } from './rules/documents/refused-run.js';
import { repeatedPage } from './rules/documents/repeated-page.js';
import { reservedParameter } from './rules/documents/reserved-parameter.js';
import { selectWithoutOptions } from './rules/documents/select-without-options.js';
import { unboundedPaging } from './rules/documents/unbounded-paging.js';
import { unknownErrorType } from './rules/documents/unknown-error-type.js';
import { unknownMethod } from './rules/documents/unknown-method.js';
import { unsanitizedSecret } from './rules/documents/unsanitized-secret.js';
import { argumentCount } from './rules/language/argument-count.js';
import { argumentType } from './rules/language/argument-type.js';
import { deadBranch } from './rules/language/dead-branch.js';
import { listLiteral } from './rules/language/list-literal.js';
import { minusInPath } from './rules/language/minus-in-path.js';
import { missingFormat } from './rules/language/missing-format.js';
import { monthInTime } from './rules/language/month-in-time.js';
import { semanticsDependent } from './rules/language/semantics-dependent.js';
import { singleBraces } from './rules/language/single-braces.js';
import { typeComparison } from './rules/language/type-comparison.js';
import { unknownFunction } from './rules/language/unknown-function.js';
import { unknownMember } from './rules/language/unknown-member.js';
import { unknownName } from './rules/language/unknown-name.js';
import { unquotedFormat } from './rules/language/unquoted-format.js';
import { zeroIndex } from './rules/language/zero-index.js';
import { duplicateKey } from './rules/loading/duplicate-key.js';
import { functionLength } from './rules/loading/function-length.js';
import { manifestShape } from './rules/loading/manifest-shape.js';
import { missingCommunication } from './rules/loading/missing-communication.js';
import { missingFile } from './rules/loading/missing-file.js';
import { missingUid } from './rules/loading/missing-uid.js';
import { missingUrl } from './rules/loading/missing-url.js';
import { relativeUrl } from './rules/loading/relative-url.js';
import { shadowedFunction } from './rules/loading/shadowed-function.js';
import { syntax } from './rules/loading/syntax.js';
import { undeclaredFile } from './rules/loading/undeclared-file.js';
import { unknownDirective } from './rules/loading/unknown-directive.js';
import { unknownReference } from './rules/loading/unknown-reference.js';
import { wrongType } from './rules/loading/wrong-type.js';
import { connectionMissing } from './rules/references/connection-missing.js';
import { endpointInput } from './rules/references/endpoint-input.js';
import { missingLabel } from './rules/references/missing-label.js';
import { optionWithoutValue } from './rules/references/option-without-value.js';
import { orderedResponder } from './rules/references/ordered-responder.js';
import { samplesOutsideInterface } from './rules/references/samples-outside-interface.js';
import { samplesOutsideOutput } from './rules/references/samples-outside-output.js';
import { scenarioFile } from './rules/references/scenario-file.js';
import { undeclaredCommon } from './rules/references/undeclared-common.js';
import { undeclaredParameter } from './rules/references/undeclared-parameter.js';
import { unfilledInterface } from './rules/references/unfilled-interface.js';
import { unknownEndpoint } from './rules/references/unknown-endpoint.js';
import { unknownScope } from './rules/references/unknown-scope.js';
import { unreferencedComponent } from './rules/references/unreferenced-component.js';
import { unstoredConnectionData } from './rules/references/unstored-connection-data.js';
import { unstoredWebhookData } from './rules/references/unstored-webhook-data.js';
import { unwrittenTemp } from './rules/references/unwritten-temp.js';

/** All rules, those of the language first. */
export const RULES: readonly Rule[] = [
  ...[unknownFunction, argumentCount, argumentType, unquotedFormat, unknownName, zeroIndex, minusInPath],
  ...[listLiteral, semanticsDependent],
  ...[unknownMember, singleBraces, typeComparison, deadBranch, missingFormat, monthInTime],
  syntax,
  ...[
    unknownDirective,
    wrongType,
    duplicateKey,
    unknownReference,
    missingFile,
    missingCommunication,
    undeclaredFile,
  ],
  ...[missingUid, manifestShape, relativeUrl, missingUrl, shadowedFunction, functionLength],
  refusedRun,
  ...[misplacedDirective, unknownMethod, platformOnly, incompleteTrigger],
  ...[endlessVerification, unboundedPaging, repeatedPage],
  ...[connectionKeepsNothing, unsanitizedSecret, hostHeader, unknownErrorType, deadStatus],
  ...[parameterType, duplicateField, reservedParameter, flagAsText, defaultType],
  ...[selectWithoutOptions, nestedWithoutStore, functionCode, functionComment],
  ...[unwrittenTemp, undeclaredParameter, unstoredConnectionData, unstoredWebhookData],
  ...[undeclaredCommon, connectionMissing, unknownScope, optionWithoutValue, missingLabel],
  ...[unknownEndpoint, endpointInput, unreferencedComponent, samplesOutsideInterface, unfilledInterface],
  samplesOutsideOutput,
  ...[scenarioFile, orderedResponder],
];

/** ID of the diagnostic for an app that does not load. */
export const LOAD_ERROR = 'cannot-load';

/** ID of the diagnostic for an invalid `iml.config.json`. */
export const SETTINGS_ERROR = 'unusable-settings';
