/** A form of XFA alone, which replaces its page in Adobe's programs. @see ISO 32000-1, 12.7.8 */
export const unseenForm = "The form is XFA, which only Adobe's programs display; its page for other programs was converted.";
