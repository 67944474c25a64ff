/** Formats of tokens: JSON Web Tokens, Stripe, GitHub, Slack, AWS, Google. */
export const TOKEN: RegExp =
  /\beyJ[\w-]{10,}\.[\w-]{10,}\.|\bsk_live_\w{8,}|\bgh[pousr]_\w{20,}|\bxox[abprs]-[\w-]{10,}|\bAKIA[0-9A-Z]{16}\b|\bAIza[\w-]{30,}/;
