function formatPrice(cents, currency) {
  return iml.formatNumber(cents / 100, 2, '.', ' ') + ' ' + currency;
}
