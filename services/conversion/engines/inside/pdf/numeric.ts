/** Numbers as tables show them. */

const signs = /^[\s\d.,:/()%$€£¥+–—…†*-]+$/u;

/** Numbers, dates, amounts, and the marks that stand for none. */
export const isNumeric = (text: string): boolean => signs.test(text) && /[\d–—…*-]/u.test(text);
