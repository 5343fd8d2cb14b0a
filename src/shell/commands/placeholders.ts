// Commands with a placeholder for arguments, as those of xargs and find.

const SHELL = /(?:^|\/)(?:ba|da|z|k|mk|a|fi)?sh$/

/** Returns true if a command runs what is put in for the placeholder: as its program, or within the script of a shell. */
export function runsPlaceholder(words: readonly string[], placeholder: string): boolean {
  if (words[0]?.includes(placeholder)) return true
  const shell = words.findIndex(word => SHELL.test(word))
  const flag = words.findIndex((word, at) => shell >= 0 && at > shell && /^-[A-Za-z]*c[A-Za-z]*$/.test(word))
  const script = words.find((word, at) => flag >= 0 && at > flag && !/^[-+]/.test(word))
  return script?.includes(placeholder) ?? false
}
