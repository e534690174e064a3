import type { CorpusRequest } from "./corpus.ts";

type Headers = Record<string, string>;

const shown: Headers = { prefer: "return=representation" };
const csvAnswer: Headers = { ...shown, accept: "text/csv" };
const send =
  (method: string) =>
  (url: string, body: string, headers: Headers): CorpusRequest => ({ method, url, headers, body });
const post = send("POST");
const patch = send("PATCH");
const typed = (type: string, headers: Headers = shown): Headers => ({
  ...headers,
  "content-type": type,
});
const csv = typed("text/csv");
const form = typed("application/x-www-form-urlencoded");

/** Writes whose bodies are CSV, forms or nothing that is known. */
export const bodiesCorpus: readonly CorpusRequest[] = [
  post("keyless", "a,b\nx,1\ny,2\n", csv),
  post("keyless", "a,b\nx,1\ny,2", csv),
  post("keyless", "a,b\r\nx,1\r\n", csv),
  post("keyless", "a,b\nNULL,NULL\n", csv),
  post("keyless", 'a,b\n"NULL",1\n', csv),
  post("keyless", "a,b\n,1\n", csv),
  post("keyless", 'a,b\n"x, ""y""\nz",1\n', csv),
  post("keyless", "b,a\n1,x\n", csv),
  post("keyless", "a,b\nx\n", csv),
  post("keyless", "a,b\nx,1,2\n", csv),
  post("keyless", "a,b\nx,1\ny\n", csv),
  post("keyless", "a,b\n", csv),
  post("keyless", "a,b", csv),
  post("keyless", "", csv),
  post("keyless", "a,nope\nx,1\n", csv),
  post("keyless?columns=a", "a,nope\nx,1\n", csv),
  post("keyless", "a,b\nx,y\n", csv),
  post("keyless", "a,b\n x ,1\n", csv),
  post("samples?select=doc,tags,flag", 'doc,tags,flag\n"{""a"":1}","{x,y}",true\n', csv),
  post("samples?select=big", "big\n9007199254740993\n", csv),
  post("keyless", "a,b\nx,1\n", typed("text/csv; charset=utf-8")),
  post("keyless", "a,b\nx,1\n", typed("text/csv", csvAnswer)),
  post("keyless", "a=x&b=1", form),
  post("keyless", "a=x+y%26z&b=1", form),
  post("keyless", "a=x&a=y", form),
  post("keyless", "a=&b=1", form),
  post("keyless", "", form),
  post("keyless", "nope=1", form),
  post("keyless", '{"a":"x"}', typed("application/json; charset=utf-8")),
  post("keyless", '{"a":"x"}', typed("application/vnd.pgrst.object+json")),
  post("keyless", '{"a":"x"}', typed("application/unknown")),
  post("keyless", '{"a":"x"}', typed("text/plain")),
  patch("keyless?a=eq.a", "b\n7\n", csv),
  patch("keyless?a=eq.a", "b=8", form),
];
