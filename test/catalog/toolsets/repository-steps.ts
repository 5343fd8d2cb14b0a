// Steps that make the workspace a repository with one commit and a remote.
export const REPOSITORY_STEPS = [
  ['init', '-b', 'main'],
  ['config', 'user.name', 'Ada'],
  ['config', 'user.email', 'ada@example.com'],
  ['init', '--bare', '.git/remote.git'],
  ['remote', 'add', 'origin', '.git/remote.git'],
  ['add', '-A'],
  ['commit', '-m', 'First']
]
