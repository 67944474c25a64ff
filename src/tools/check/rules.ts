import type { Rule } from './rule.js';
import { actionIterate } from './rules/action-iterate.js';
import { semanticsDependent, typeComparison } from './rules/comparisons.js';
import { connectionKeepsNothing, endlessVerification } from './rules/connection-communication.js';
import { connectionMissing } from './rules/connection-missing.js';
import { functionCode, functionComment } from './rules/custom-functions.js';
import { missingFormat, monthInTime, unquotedFormat } from './rules/date-formats.js';
import { deadBranch } from './rules/dead-branch.js';
import { endpointInput, unknownEndpoint } from './rules/endpoints.js';
import { deadStatus, unknownErrorType } from './rules/error-handling.js';
import { defaultType, flagAsText } from './rules/field-defaults.js';
import { duplicateField, missingLabel, reservedParameter } from './rules/field-names.js';
import { argumentCount, argumentType, unknownFunction } from './rules/function-calls.js';
import { hostHeader } from './rules/host-header.js';
import { incompleteTrigger } from './rules/incomplete-trigger.js';
import { listLiteral } from './rules/list-literal.js';
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
} from './rules/loader-rules.js';
import {
  undeclaredCommon,
  unknownMember,
  unstoredConnectionData,
  unstoredWebhookData,
  unwrittenTemp,
} from './rules/member-rules.js';
import { misplacedDirective } from './rules/misplaced-directive.js';
import { minusInPath, unknownName } from './rules/names.js';
import { repeatedPage, unboundedPaging } from './rules/pagination.js';
import { parameterType } from './rules/parameter-type.js';
import { platformOnly } from './rules/platform-only.js';
import { refusedRun } from './rules/refused-run.js';
import {
  baseDrift,
  baseErrorHandler,
  productionHosts,
  repeatedHeaders,
  secretInAddress,
  versionInBase,
} from './rules/review/base.js';
import {
  additionalScopes,
  connectionErrorHandler,
  connectionLabel,
  connectionMetadata,
  connectionValidates,
  credentialHint,
  editableCredentials,
  minimalScope,
  passwordType,
  redirectAddress,
  refreshTokenStays,
} from './rules/review/connections.js';
import {
  advancedNotNested,
  advancedRequired,
  bufferSemantic,
  createOrUpdate,
  dateType,
  fieldLabel,
  groupsOrder,
  helpUseful,
  imlInForm,
  limitField,
  missingFieldLabel,
  moduleDescription,
  moduleLabel,
  wideCollection,
} from './rules/review/forms.js';
import { boundedLoops, functionSize, functionTests, noEval, parseInTry } from './rules/review/functions.js';
import {
  actionNoPaging,
  actionObject,
  deepExpression,
  epochLimit,
  errorText,
  interfaceMissing,
  invalidEmpty,
  moduleTags,
  outputAsIs,
  outputItem,
  pageSizeOfUser,
  samplesMissing,
  samplesSynthetic,
  searchComplete,
  secretOutput,
  triggerFirstRun,
  triggerLimit,
  triggerNewestFirst,
  universalDescription,
  universalModule,
} from './rules/review/modules.js';
import {
  endlessPaging,
  endpointHelp,
  endpointStaticName,
  lastPage,
  rpcCalls,
  rpcLimit,
  rpcModeEdit,
  rpcPaging,
  webhookDetached,
  webhookSignature,
} from './rules/review/webhooks-rpcs.js';
import { samplesOutsideInterface, samplesOutsideOutput, unfilledInterface } from './rules/samples.js';
import { orderedResponder, scenarioFile } from './rules/scenario-files.js';
import { nestedWithoutStore, optionWithoutValue, selectWithoutOptions } from './rules/select-options.js';
import { singleBraces } from './rules/single-braces.js';
import { undeclaredParameter } from './rules/undeclared-parameter.js';
import { unknownMethod } from './rules/unknown-method.js';
import { unknownScope } from './rules/unknown-scope.js';
import { unreferencedComponent } from './rules/unreferenced-component.js';
import { unsanitizedSecret } from './rules/unsanitized-secret.js';
import { zeroIndex } from './rules/zero-index.js';

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
  ...[baseErrorHandler, productionHosts, versionInBase, secretInAddress, repeatedHeaders, baseDrift],
  ...[
    connectionErrorHandler,
    connectionValidates,
    connectionMetadata,
    passwordType,
    editableCredentials,
    credentialHint,
    redirectAddress,
    minimalScope,
    refreshTokenStays,
    connectionLabel,
    additionalScopes,
  ],
  ...[
    universalModule,
    universalDescription,
    actionNoPaging,
    actionObject,
    searchComplete,
    outputAsIs,
    outputItem,
    secretOutput,
    errorText,
    invalidEmpty,
    moduleTags,
    interfaceMissing,
    samplesMissing,
    samplesSynthetic,
    deepExpression,
    pageSizeOfUser,
    triggerLimit,
    triggerNewestFirst,
    triggerFirstRun,
    epochLimit,
  ],
  ...[
    webhookDetached,
    lastPage,
    endlessPaging,
    rpcCalls,
    rpcLimit,
    rpcPaging,
    rpcModeEdit,
    endpointHelp,
    endpointStaticName,
    webhookSignature,
  ],
  ...[
    moduleLabel,
    createOrUpdate,
    moduleDescription,
    fieldLabel,
    limitField,
    advancedRequired,
    advancedNotNested,
    dateType,
    helpUseful,
    imlInForm,
    bufferSemantic,
    wideCollection,
    groupsOrder,
    missingFieldLabel,
  ],
  ...[functionTests, noEval, boundedLoops, parseInTry, functionSize],
];

/** ID of the diagnostic for an app that does not load. */
export const LOAD_ERROR = 'cannot-load';

/** ID of the diagnostic for an invalid `iml.config.json`. */
export const SETTINGS_ERROR = 'unusable-settings';
