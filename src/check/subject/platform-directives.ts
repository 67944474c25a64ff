const NO_STOP = 'has no effect here: an empty page always ends the pages.';

/** Directives that only the platform applies, with the message. [inf] */
export const PLATFORM_DIRECTIVES: ReadonlyMap<string, string> = new Map([
  ['isc', "sends to services inside Make. It works in Make's own apps only, and no run here sends it."],
  ['agency', 'runs the request on premises of a customer. Only Make can do that, and no run here sends it.'],
  ['stopOnEmptyResponse', NO_STOP],
  ['stopOnEmptyBundles', NO_STOP],
]);
