// Settings of git as variables, and those that disable programs under names that a repository chooses itself.

export type GitSetting = readonly [key: string, value: string]

/**
 * Settings by which git runs programs for files selected by attributes, with neutral values. `$1` is the name in the key. A text
 * converter cannot be disabled by a setting: `cat` shows the file as it is.
 */
const NEUTRAL_SETTINGS: readonly [pattern: RegExp, settings: readonly GitSetting[]][] = [
  [
    /^filter\.(.*)\.(?:clean|smudge|process|required)$/s,
    [
      ['filter.$1.clean', ''],
      ['filter.$1.smudge', ''],
      ['filter.$1.process', ''],
      ['filter.$1.required', 'false']
    ]
  ],
  [
    /^diff\.(.*)\.textconv$/s,
    [
      ['diff.$1.textconv', 'cat'],
      ['diff.$1.cachetextconv', 'false']
    ]
  ],
  [/^merge\.(.*)\.driver$/s, [['merge.$1.driver', 'false']]]
]
/** Settings by which a program shows changes in place of git: with another value git would fail, without `--no-ext-diff`. */
const EXTERNAL_DIFF = /^diff\.(?:external|.*\.command)$/s

export const isExternalDiff = (key: string) => EXTERNAL_DIFF.test(key)

/** Returns settings that disable the programs named by these keys. */
export function neutralizeSettings(keys: Iterable<string>): GitSetting[] {
  const found = new Map<string, string>()
  for (const key of keys) {
    if (isExternalDiff(key)) found.set(key, 'false')
    for (const [pattern, settings] of NEUTRAL_SETTINGS) {
      const name = pattern.exec(key)?.[1]
      if (name === undefined) continue
      for (const [neutral, value] of settings)
        found.set(
          neutral.replace('$1', () => name),
          value
        )
    }
  }
  return [...found]
}

/** Passes settings as variables: no value can be taken for a flag, and child processes get them too. */
export const toConfigEnv = (settings: readonly GitSetting[]) => addConfigEnv({}, settings)

/** Adds settings to those that an environment passes already. */
export function addConfigEnv(
  env: Readonly<Record<string, string>>,
  settings: readonly GitSetting[]
): Readonly<Record<string, string>> {
  if (settings.length === 0) return env
  const first = Number(env.GIT_CONFIG_COUNT ?? 0)
  const variables: Record<string, string> = { ...env, GIT_CONFIG_COUNT: String(first + settings.length) }
  for (const [i, [key, value]] of settings.entries()) {
    variables[`GIT_CONFIG_KEY_${first + i}`] = key
    variables[`GIT_CONFIG_VALUE_${first + i}`] = value
  }
  return variables
}
