// Names of variables whose values are secrets, and values that never are, as data. '*' matches any run of characters; case is
// ignored.

/** The value of a variable with one of these names is a secret … */
export const SECRET_VARIABLES: readonly string[] = (
  '*token* *secret* *password* *passwd* *passphrase* *credential* *apikey* *cookie* *connection_string* ' +
  '*connectionstring* *webhook* *_pass *_pwd *_key *_keys *_auth *_authorization *_pat *_jwt *_dsn *_salt *_pepper'
).split(' ')

/** … unless it also has one of these names: then it only names the location or owner of one. */
export const NON_SECRET_VARIABLES: readonly string[] = (
  '*_file *_path *_dir *_home *_sock *_url *_uri *_endpoint *_host *_port *_id *_name *_user *_username *_type *_ttl ' +
  '*_timeout *_expires *_expiry *_expiration *_length *_limit *_max_tokens max_tokens *public_key* *publishable* ' +
  '*_algorithm'
).split(' ')

/** Common words of any output: redacting them would hide nothing. */
export const COMMON_VALUES: ReadonlySet<string> = new Set(
  (
    'password passwords changeme change-me change_me changeit your-token your_token your-api-key your_api_key ' +
    'your-secret your_secret example examples placeholder undefined disabled required optional production development ' +
    'testing staging localhost postgres postgresql username administrator anonymous redacted ******** xxxxxxxx'
  ).split(' ')
)
