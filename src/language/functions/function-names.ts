import type { ImlFunction } from '../environment.js';

/**
 * Names of the built-in functions by file. TypeScript checks the functions of each file, their signatures and their
 * worst cases in the tests against these.
 */
interface FunctionNames {
  readonly general:
    | 'if'
    | 'ifempty'
    | 'switch'
    | 'get'
    | 'omit'
    | 'pick'
    | 'equal'
    | 'errorFactory'
    | 'createJSON'
    | 'parseJSON';
  readonly math:
    | 'abs'
    | 'ceil'
    | 'floor'
    | 'round'
    | 'trunc'
    | 'average'
    | 'max'
    | 'min'
    | 'sum'
    | 'median'
    | 'stdevS'
    | 'stdevP'
    | 'formatNumber'
    | 'parseNumber';
  readonly text:
    | 'ascii'
    | 'capitalize'
    | 'contains'
    | 'decodeURL'
    | 'encodeURL'
    | 'indexOf'
    | 'length'
    | 'lower'
    | 'upper'
    | 'mime'
    | 'replace'
    | 'replaceEmojiCharacters'
    | 'split'
    | 'startcase'
    | 'substring'
    | 'trim';
  readonly html: 'escapeHTML' | 'escapeMarkdown' | 'stripHTML';
  readonly binary: 'md5' | 'sha1' | 'sha256' | 'sha512' | 'base64' | 'toBinary' | 'toString';
  readonly date:
    | 'formatDate'
    | 'parseDate'
    | 'addSeconds'
    | 'addMinutes'
    | 'addHours'
    | 'addDays'
    | 'addMonths'
    | 'addYears'
    | 'setSecond'
    | 'setMinute'
    | 'setHour'
    | 'setDate'
    | 'setDay'
    | 'setMonth'
    | 'setYear'
    | 'dateDifference'
    | 'dateDiff';
  readonly array:
    | 'add'
    | 'arrayDiff'
    | 'arrayIntersect'
    | 'deduplicate'
    | 'distinct'
    | 'first'
    | 'last'
    | 'flatten'
    | 'isArray'
    | 'join'
    | 'keys'
    | 'map'
    | 'merge'
    | 'pop'
    | 'remove'
    | 'reverse'
    | 'shift'
    | 'shuffle'
    | 'slice'
    | 'sort'
    | 'toArray'
    | 'toCollection';
  readonly signing: 'jwt' | 'generateJwtWithKeyId' | 'cryptoSign';
}

/** Name of a built-in function of the language. */
export type FunctionName = FunctionNames[keyof FunctionNames];

/** The functions of a file, by its name without extension. */
export type FunctionsIn<File extends keyof FunctionNames> = Readonly<
  Record<FunctionNames[File], ImlFunction>
>;
