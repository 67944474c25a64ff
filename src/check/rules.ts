import type { Rule } from './rule.js';
import { actionIterate } from './rules/documents/action-iterate.js';
import { connectionKeepsNothing, endlessVerification } from './rules/documents/connection-communication.js';
import { functionCode, functionComment } from './rules/documents/custom-functions.js';
import { deadStatus, unknownErrorType } from './rules/documents/error-handling.js';
import { defaultType, flagAsText } from './rules/documents/field-defaults.js';
import { duplicateField, missingLabel, reservedParameter } from './rules/documents/field-names.js';
import { hostHeader } from './rules/documents/host-header.js';
import { incompleteTrigger } from './rules/documents/incomplete-trigger.js';
import {
  duplicateKey,
  functionLength,
  manifestShape,
  missingCommunication,
  missingFile,
  missingUid,
  missingUrl,
  relativeUrl,
  shadowedFunction,
  syntax,
  undeclaredFile,
  unknownDirective,
  unknownReference,
  wrongType,
} from './rules/documents/loader-rules.js';
import { misplacedDirective } from './rules/documents/misplaced-directive.js';
import { repeatedPage, unboundedPaging } from './rules/documents/pagination.js';
import { parameterType } from './rules/documents/parameter-type.js';
import { platformOnly } from './rules/documents/platform-only.js';
import { refusedRun } from './rules/documents/refused-run.js';
import {
  nestedWithoutStore,
  optionWithoutValue,
  selectWithoutOptions,
} from './rules/documents/select-options.js';
import { unknownMethod } from './rules/documents/unknown-method.js';
import { unsanitizedSecret } from './rules/documents/unsanitized-secret.js';
import { semanticsDependent, typeComparison } from './rules/language/comparisons.js';
import { missingFormat, monthInTime, unquotedFormat } from './rules/language/date-formats.js';
import { deadBranch } from './rules/language/dead-branch.js';
import { argumentCount, argumentType, unknownFunction } from './rules/language/function-calls.js';
import { listLiteral } from './rules/language/list-literal.js';
import { minusInPath, unknownName } from './rules/language/names.js';
import { singleBraces } from './rules/language/single-braces.js';
import { zeroIndex } from './rules/language/zero-index.js';
import { connectionMissing } from './rules/references/connection-missing.js';
import { endpointInput, unknownEndpoint } from './rules/references/endpoints.js';
import {
  undeclaredCommon,
  unknownMember,
  unstoredConnectionData,
  unstoredWebhookData,
  unwrittenTemp,
} from './rules/references/member-rules.js';
import {
  samplesOutsideInterface,
  samplesOutsideOutput,
  unfilledInterface,
} from './rules/references/samples.js';
import { orderedResponder, scenarioFile } from './rules/references/scenario-files.js';
import { undeclaredParameter } from './rules/references/undeclared-parameter.js';
import { unknownScope } from './rules/references/unknown-scope.js';
import { unreferencedComponent } from './rules/references/unreferenced-component.js';

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
  ...[misplacedDirective, actionIterate, unknownMethod, platformOnly, incompleteTrigger],
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
