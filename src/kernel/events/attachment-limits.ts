// How much a message may hold, and bring. The server holds to it while the bytes come; a page says so before.

export const MAX_ATTACHMENT_BYTES = 20_000_000;
export const MAX_MESSAGE_CHARACTERS = 131_072;
export const MAX_ATTACHMENTS = 20; // with one message
export const MAX_FILE_NAME = 255;
export const MAX_SPOKEN = 4_096; // characters of a text that is to be spoken: more no endpoint takes
