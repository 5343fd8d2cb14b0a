// Escapes the three characters that are markup in Slack and on desktops.

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

export const escapeMarkup = (text: string): string => text.replace(/[&<>]/g, character => ESCAPES[character]!)
