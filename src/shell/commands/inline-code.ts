// Code in a command line, by what its words say of its intentions. That decides if a person is asked, and is no protection: the
// sandbox is.

/** Names by which scripts change files, start programs, reach the network, or show the environment. */
const EFFECT_NAMES = (
  'write\\w* unlink\\w* remove rm\\w* mkdir\\w* makedirs rename\\w* chmod\\w* chown\\w* truncate\\w* symlink\\w* link\\w* ' +
  'copyfile\\w* copyFile\\w* copytree cp cpSync move touch append\\w*File\\w* appendFile\\w* createWriteStream shutil ' +
  'file_put_contents system exec\\w* spawn\\w* fork popen Popen subprocess child_process kill socket net http https urllib\\w* ' +
  'urlopen requests httpx fetch XMLHttpRequest smtplib ftplib eval __import__ environ\\w* getenv ENV env putenv ctypes install qx'
).replaceAll(' ', '|')
const EFFECTS = new RegExp(
  `\\b(?:${EFFECT_NAMES})\\b|\`|\\$\\(|\\bopen\\s*\\([^)]*,\\s*(?:mode\\s*=\\s*)?['"][^'"]*[wax+]`
)

/** Returns true if the code seems to do more than compute and read. */
export const hasEffects = (code: string) => EFFECTS.test(code)
