interface ImportMetaEnv {
  readonly CONSOLE_VERSION: string;
}
