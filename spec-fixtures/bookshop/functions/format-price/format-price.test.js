it('writes cents as an amount', () => {
  assert.equal(formatPrice(1250, 'EUR'), '12.50 EUR');
});
