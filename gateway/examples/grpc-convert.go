// Converts one file over gRPC, as an internal client: go run grpc-convert.go IN TO OUT. Uses the client generated from proto/.
//
// `buf generate --template gateway/examples/buf.gen.go.yaml` generates that client. FILEMILL_RPC is host:port of the RPC port, RPC_TOKEN
// its token (default: read from DATA_DIR), FILEMILL_API_KEY the account's key.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	account "filemill/gen/filemill/account/v1"
	conversion "filemill/gen/filemill/conversion/v1"
	job "filemill/gen/filemill/job/v1"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: go run grpc-convert.go IN TO OUT")
		os.Exit(2)
	}
	if err := convert(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func convert(source, to, target string) error {
	token := os.Getenv("RPC_TOKEN")
	if token == "" {
		text, err := os.ReadFile(filepath.Join(setting("DATA_DIR", "data"), "rpc-token"))
		if err != nil {
			return err
		}
		token = strings.TrimSpace(string(text))
	}
	// No TLS, for use on one host. Between hosts, use grpc.WithTransportCredentials with the files of RPC_CA, RPC_CERT and RPC_KEY.
	connection, err := grpc.Dial(setting("FILEMILL_RPC", "127.0.0.1:8081"), grpc.WithInsecure())
	if err != nil {
		return err
	}
	defer connection.Close()
	ctx, cancel := context.WithCancel(metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer "+token))
	defer cancel()
	key := &account.VerifyKeyRequest{Key: os.Getenv("FILEMILL_API_KEY")}
	verified, err := account.NewAccountServiceClient(connection).VerifyKey(ctx, key)
	if err != nil {
		return err
	}
	stream, err := conversion.NewConversionServiceClient(connection).Convert(ctx)
	if err != nil {
		return err
	}
	sent := make(chan error, 1)
	go func() {
		err := send(stream, verified.GetAccount().GetId(), source, to)
		sent <- err
		if err != nil {
			cancel()
		}
	}()
	received := receive(stream, target)
	if received == nil {
		return <-sent
	}
	select {
	case err := <-sent:
		if err != nil {
			return err
		}
	default:
	}
	return received
}

func send(stream conversion.ConversionService_ConvertClient, accountID, source, to string) error {
	file, err := os.Open(source)
	if err != nil {
		return err
	}
	defer file.Close()
	start := &conversion.ConvertStart{AccountId: accountID, To: to, FileName: filepath.Base(source)}
	request := &conversion.ConvertRequest{Part: &conversion.ConvertRequest_Start{Start: start}}
	chunk := make([]byte, 256*1024)
	for {
		// io.EOF means that the call has ended. The receiving side gets the reason.
		if err := stream.Send(request); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		n, err := file.Read(chunk)
		if err == io.EOF {
			return stream.CloseSend()
		} else if err != nil {
			return err
		}
		request = &conversion.ConvertRequest{Part: &conversion.ConvertRequest_Chunk{Chunk: chunk[:n]}}
	}
}

func receive(stream conversion.ConversionService_ConvertClient, target string) error {
	file, err := os.Create(target)
	if err != nil {
		return err
	}
	defer file.Close()
	for {
		answer, err := stream.Recv()
		if err == io.EOF {
			return file.Close()
		} else if err != nil {
			return err
		}
		if _, err := file.Write(answer.GetChunk()); err != nil {
			return err
		}
		if changed := answer.GetJob(); changed.GetState() == job.JobState_JOB_STATE_FAILED {
			return fmt.Errorf("%s", changed.GetError().GetMessage())
		}
	}
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}
