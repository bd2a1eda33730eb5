// Where the providers are, unless settings say otherwise. Apart from their libraries, which are heavy.
export const OPENAI_URL = "https://api.openai.com/v1";
export const ANTHROPIC_URL = "https://api.anthropic.com/v1";
export const GOOGLE_URL = "https://generativelanguage.googleapis.com/v1beta";
